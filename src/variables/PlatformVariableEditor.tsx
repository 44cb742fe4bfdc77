import React from 'react';
import { EditorField, EditorRow, EditorRows } from '@grafana/plugin-ui';
import { RadioButtonGroup } from '@grafana/ui';
import type { DataSource } from '../datasource';
import type { PathIds } from '../platform/path';
import type { ColumnVariableQuery, PlatformVariableQuery } from '../platform/query';
import { ProductsField } from '../query/platform/CapacityFields';
import { SourceFields } from '../query/platform/SourceFields';
import { TextOption } from '../query/platform/TextOption';

type VariableType = PlatformVariableQuery['queryType'];

const TYPES: Array<{ value: VariableType; label: string; description: string }> = [
  { value: 'capacityProducts', label: 'Products', description: 'Types of machines, such as a100.8x' },
  { value: 'capacityLocations', label: 'Locations', description: 'Where products are offered' },
  { value: 'platform', label: 'API list', description: 'A member of each item of any list' },
];

interface Props {
  query: PlatformVariableQuery;
  onChange: (query: PlatformVariableQuery) => void;
  datasource: DataSource;
}

export function PlatformVariableEditor({ query, onChange, datasource }: Props) {
  return (
    <EditorRows>
      <EditorRow>
        <EditorField label="Values">
          <RadioButtonGroup
            aria-label="Values"
            options={TYPES}
            value={query.queryType}
            onChange={(queryType) => onChange(newVariable(queryType, query.refId))}
          />
        </EditorField>
        {query.queryType === 'capacityLocations' && (
          <ProductsField
            capacities={datasource.capacities}
            values={query.productNames}
            onChange={(productNames) => onChange({ ...query, productNames })}
          />
        )}
      </EditorRow>
      {query.queryType === 'platform' && <MemberFields query={query} onChange={onChange} ids={datasource.pathIds} />}
    </EditorRows>
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
