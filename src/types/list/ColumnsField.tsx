import React from 'react';
import { EditorField } from '@grafana/plugin-ui';
import { Combobox, type ComboboxOption } from '@grafana/ui';
import type { Column, ColumnType } from './query';
import { CommittedInput } from '../../fields/CommittedInput';
import { Rows, type RowColumn } from '../../fields/Rows';
import { UnitCell } from '../../fields/UnitCell';

/** The types in the words of the editor. */
export const TYPE_NAMES: Record<ColumnType, string> = {
  string: 'Text',
  number: 'Number',
  boolean: 'True or false',
  time: 'Time',
};

const TYPES: Array<ComboboxOption<ColumnType>> = [
  { value: 'string', label: TYPE_NAMES.string },
  { value: 'number', label: TYPE_NAMES.number },
  { value: 'boolean', label: TYPE_NAMES.boolean },
  { value: 'time', label: TYPE_NAMES.time, description: 'RFC 3339, or Unix seconds or milliseconds' },
];

const COLUMNS: Array<RowColumn<Column>> = [
  {
    title: 'Member',
    cell: ({ item, onChange, ...cell }) => (
      <CommittedInput
        {...cell}
        placeholder="created_at, or owner.team"
        value={item.selector}
        onCommit={(selector) => onChange({ selector })}
      />
    ),
  },
  {
    title: 'Title',
    cell: ({ item, onChange, ...cell }) => (
      <CommittedInput
        {...cell}
        placeholder={item.selector || 'Created'}
        value={item.name ?? ''}
        onCommit={(name) => onChange({ name: name || undefined })}
      />
    ),
  },
  {
    title: 'Type',
    cell: ({ item, onChange, ...cell }) => (
      <Combobox
        {...cell}
        isClearable
        placeholder="As the values are"
        options={TYPES}
        value={item.type ?? null}
        onChange={(type) => onChange({ type: type?.value })}
      />
    ),
  },
  { title: 'Unit', cell: (props) => <UnitCell {...props} /> },
];

const BLANK: Column = { selector: '' };

interface Props {
  value: Column[] | undefined;
  onChange: (columns: Column[] | undefined) => void;
  tooltip: string;
  label?: string;
}

/** What of each item is shown. */
export function ColumnsField({ value, onChange, tooltip, label = 'Columns' }: Props) {
  return (
    <EditorField label={label} optional tooltip={tooltip}>
      <Rows
        itemLabel="column"
        columns={COLUMNS}
        items={value}
        onChange={onChange}
        blank={BLANK}
        isBlank={({ selector }) => selector === ''}
      />
    </EditorField>
  );
}
