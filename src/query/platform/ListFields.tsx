import React, { useId } from 'react';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { Combobox } from '@grafana/ui';
import type { PathIds } from '../../platform/path';
import type { Column, ListQuery } from '../../platform/query';
import { AggregateField } from './AggregateField';
import { ColumnsField } from './ColumnsField';
import { SourceFields } from './SourceFields';

interface Props {
  query: ListQuery;
  onChange: (query: ListQuery) => void;
  /** Which ids the settings have. */
  ids: PathIds;
}

/** Any list of the main API as a table, or over time. */
export function ListFields({ query, onChange, ids }: Props) {
  return (
    <>
      <SourceFields
        query={query}
        onChange={onChange}
        ids={ids}
        columnsOf={(list) => list.columns}
        withColumns={(changed, columns) => ({ ...changed, columns, timeColumn: undefined })}
      />
      <EditorRow>
        <ColumnsField
          value={query.columns}
          onChange={(columns) => onChange({ ...query, columns })}
          tooltip="A member of each item, or a JSONPath below the item. Without columns, every member that is a single value is shown."
        />
      </EditorRow>
      <EditorRow>
        <TimeColumnField
          columns={query.columns}
          value={query.timeColumn}
          onChange={(timeColumn) => onChange({ ...query, timeColumn })}
        />
        <AggregateField query={query} onChange={onChange} />
      </EditorRow>
    </>
  );
}

interface TimeColumnProps {
  columns: Column[] | undefined;
  value: string | undefined;
  onChange: (name: string | undefined) => void;
}

function TimeColumnField({ columns = [], value, onChange }: TimeColumnProps) {
  const id = useId();
  const titles = columns
    .filter(({ type }) => type === undefined || type === 'time')
    .map(({ name, selector }) => name || selector);
  return (
    <EditorField
      label="Time column"
      htmlFor={id}
      optional
      tooltip="Makes a time series of the list: its numbers over this column, labelled by the columns of text."
      width={30}
    >
      <Combobox
        id={id}
        isClearable
        createCustomValue
        customValueDescription="Use as the time column"
        placeholder="None: a table"
        options={[...new Set(titles)].map((title) => ({ value: title }))}
        value={value ?? null}
        onChange={(chosen) => onChange(chosen?.value)}
      />
    </EditorField>
  );
}
