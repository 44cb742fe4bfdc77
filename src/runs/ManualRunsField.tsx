import React from 'react';
import { EditorField } from '@grafana/plugin-ui';
import type { ManualRun } from '../types/runSource';
import { Rows } from '../fields/Rows';
import { textColumn } from '../fields/textColumn';

const COLUMNS = [
  textColumn<ManualRun>('Name', 'name', 'larger batch'),
  textColumn<ManualRun>('From', 'from', '2026-03-01T08:00:00Z'),
  textColumn<ManualRun>('To (empty: still running)', 'to', 'now-1h'),
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
