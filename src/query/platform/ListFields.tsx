import React, { useId } from 'react';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { Combobox, Text } from '@grafana/ui';
import { listAt } from '../../catalog/lists';
import type { PathIds } from '../../platform/path';
import type { Column, ListQuery } from '../../platform/query';
import { AggregateField } from './AggregateField';
import { alertColumns, alertError } from './alertColumns';
import { ColumnChoice } from './ColumnChoice';
import { ColumnsField } from './ColumnsField';
import type { Seen, SeenMember } from './seen';
import { SourceFields } from './SourceFields';

interface Props {
  query: ListQuery;
  onChange: (query: ListQuery) => void;
  /** Which ids the settings have. */
  ids: PathIds;
  /** What the last response has. */
  seen: Seen;
  /** True in an alert rule, which takes one column of numbers. */
  alerting: boolean;
}

/** Any list of the main API as a table, or over time. */
export function ListFields({ query, onChange, ids, seen, alerting }: Props) {
  // In an alert rule there is no response to look at: expressions drop the metadata of frames.
  const members = seen.members.length > 0 ? seen.members : (listAt(query.path)?.columns ?? []).map(asMember);
  const setColumns = (columns: Column[] | undefined) => onChange({ ...query, columns });

  return (
    <SourceFields
      query={query}
      onChange={onChange}
      ids={ids}
      roots={seen.roots}
      columnsOf={(list) => (alerting ? alertColumns(list) : list.columns)}
      withColumns={(changed, columns) => ({ ...changed, columns, timeColumn: undefined })}
      options={
        <ColumnsField
          label="Titles, types and units"
          value={query.columns}
          onChange={setColumns}
          tooltip="How each column is shown. A type other than the values’ converts them."
        />
      }
    >
      <EditorRow>
        <ColumnChoice
          value={query.columns}
          onChange={setColumns}
          members={members}
          error={alerting ? alertError(query) : undefined}
        />
        <TimeColumnField
          columns={query.columns}
          members={members}
          value={query.timeColumn}
          onChange={(timeColumn) => onChange({ ...query, timeColumn })}
        />
        <AggregateField query={query} onChange={onChange} />
        {alerting && (
          <Text element="p" variant="bodySmall" color="secondary">
            An alert rule evaluates one column of numbers. Columns of text become the labels of its alert instances.
          </Text>
        )}
      </EditorRow>
    </SourceFields>
  );
}

const asMember = ({ selector, type }: Column): SeenMember => ({ selector, type });

interface TimeColumnProps {
  columns: Column[] | undefined;
  members: SeenMember[];
  value: string | undefined;
  onChange: (name: string | undefined) => void;
}

function TimeColumnField({ columns = [], members, value, onChange }: TimeColumnProps) {
  const id = useId();
  const titles = columns
    .filter(({ type }) => type === undefined || type === 'time')
    .map(({ name, selector }) => name || selector);
  const chosen = new Set(columns.map(({ selector }) => selector));
  const others = members
    .filter(({ selector, type }) => type === 'time' && !chosen.has(selector))
    .map(({ selector }) => selector);
  return (
    <EditorField
      label="Time column"
      htmlFor={id}
      optional
      tooltip="Makes a time series of the list: its numbers over this column, labeled by the columns of text."
      width={30}
    >
      <Combobox
        id={id}
        isClearable
        createCustomValue
        customValueDescription="Use as the time column"
        placeholder="None: a table"
        options={[...new Set([...titles, ...others])].map((title) => ({ value: title }))}
        value={value ?? null}
        onChange={(picked) => onChange(picked?.value)}
      />
    </EditorField>
  );
}
