import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { GpuCloud } from '../GpuCloud';
import type { PathIds } from '../platform/path';
import type { ColumnVariableQuery, PlatformVariableQuery } from '../platform/query';
import { ProductsField } from '../query/platform/CapacityFields';
import { SourceFields } from '../query/platform/SourceFields';
import { TextOption } from '../query/platform/TextOption';
import { ValuesFields, type ValueType } from './ValuesFields';

type VariableType = PlatformVariableQuery['queryType'];

const TYPES: Array<ValueType<VariableType>> = [
  { value: 'capacityProducts', label: 'Products', description: 'Types of machines, such as a100.8x' },
  { value: 'capacityLocations', label: 'Locations', description: 'Where products are offered' },
  { value: 'platform', label: 'API list', description: 'A member of each item of any list' },
];

interface Props {
  query: PlatformVariableQuery;
  onChange: (query: PlatformVariableQuery) => void;
  datasource: GpuCloud;
}

/** Which of the main API's things a variable lists. */
export function PlatformVariableEditor({ query, onChange, datasource }: Props) {
  return (
    <ValuesFields
      types={TYPES}
      value={query.queryType}
      onChange={(queryType) => onChange(newVariable(queryType, query.refId))}
      filters={
        query.queryType === 'capacityLocations' && (
          <ProductsField
            offers={datasource.capacities}
            values={query.productNames}
            onChange={(productNames) => onChange({ ...query, productNames })}
          />
        )
      }
    >
      {query.queryType === 'platform' && <MemberFields query={query} onChange={onChange} ids={datasource.pathIds} />}
    </ValuesFields>
  );
}

interface MemberProps {
  query: ColumnVariableQuery;
  onChange: (query: ColumnVariableQuery) => void;
  ids: PathIds;
}

/** Which list, and which member of its items. A ready-made list starts with its first one. */
function MemberFields({ query, onChange, ids }: MemberProps) {
  return (
    <>
      <SourceFields
        query={query}
        onChange={onChange}
        ids={ids}
        columnsOf={(list) => list.columns.filter(({ type }) => type === 'string')}
        withColumns={(changed, [first]) => ({ ...changed, valueSelector: first?.selector, textSelector: undefined })}
      />
      <EditorRow>
        <TextOption
          label="Value"
          tooltip="A member of each item, or a JSONPath below the item."
          placeholder="id"
          value={query.valueSelector ?? ''}
          check={(selector) => (selector.trim() ? undefined : 'Enter a member’s name, such as id.')}
          onChange={(selector) => onChange({ ...query, valueSelector: selector || undefined })}
        />
        <TextOption
          label="Text (optional)"
          tooltip="What is shown for a value, if not the value itself."
          placeholder="name"
          value={query.textSelector ?? ''}
          onChange={(selector) => onChange({ ...query, textSelector: selector || undefined })}
        />
      </EditorRow>
    </>
  );
}

function newVariable(queryType: VariableType, refId: string): PlatformVariableQuery {
  return queryType === 'platform' ? { refId, queryType, path: '' } : { refId, queryType };
}
