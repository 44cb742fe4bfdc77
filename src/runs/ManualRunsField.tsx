import React from 'react';
import { EditorField } from '@grafana/plugin-ui';
import type { ManualRun } from '../types/runSource';
import { CommittedInput } from '../fields/CommittedInput';
import { Rows, type RowColumn } from '../fields/Rows';

const column = (title: string, option: keyof ManualRun, placeholder: string): RowColumn<ManualRun> => ({
  title,
  cell: ({ item, onChange, ...cell }) => (
    <CommittedInput
      {...cell}
      placeholder={placeholder}
      value={item[option]}
      onCommit={(text) => onChange({ [option]: text })}
    />
  ),
});

const COLUMNS = [
  column('Name', 'name', 'larger batch'),
  column('From', 'from', '2026-03-01T08:00:00Z'),
  column('To (empty: still running)', 'to', 'now-1h'),
];

interface Props {
  value: ManualRun[];
  onChange: (runs: ManualRun[]) => void;
}

/** Runs by name and time. */
export function ManualRunsField({ value, onChange }: Props) {
  return (
    <EditorField
      label="Runs by hand"
      tooltip="Times are RFC 3339, milliseconds since 1970, or relative such as now-1d. All may be dashboard variables."
    >
      <Rows
        itemLabel="run"
        columns={COLUMNS}
        items={value}
        onChange={(runs) => onChange(runs ?? [])}
        blank={{ name: '', from: '', to: '' }}
        isBlank={({ name }) => name === ''}
      />
    </EditorField>
  );
}
