import React from 'react';
import { EditorField } from '@grafana/plugin-ui';
import type { Param } from './query';
import { CommittedInput } from '../../fields/CommittedInput';
import { Rows, type RowColumn } from '../../fields/Rows';

const COLUMNS: Array<RowColumn<Param>> = [
  {
    title: 'Name',
    cell: ({ item, onChange, ...cell }) => (
      <CommittedInput {...cell} placeholder="start_time" value={item.name} onCommit={(name) => onChange({ name })} />
    ),
  },
  {
    title: 'Value',
    cell: ({ item, onChange, ...cell }) => (
      <CommittedInput
        {...cell}
        placeholder="$__timeFrom()"
        value={item.value}
        onCommit={(value) => onChange({ value })}
      />
    ),
  },
];

const BLANK: Param = { name: '', value: '' };

interface Props {
  value: Param[] | undefined;
  onChange: (params: Param[] | undefined) => void;
}

/** The query parameters of a list. */
export function ParamsField({ value, onChange }: Props) {
  return (
    <EditorField
      label="Parameters"
      optional
      tooltip="$__timeFrom() and $__timeTo() stand for the ends of the time range. Values may be dashboard variables; several values are joined by commas."
    >
      <Rows
        itemLabel="parameter"
        columns={COLUMNS}
        items={value}
        onChange={onChange}
        blank={BLANK}
        isBlank={({ name }) => name === ''}
      />
    </EditorField>
  );
}
