import React from 'react';
import { EditorField } from '@grafana/plugin-ui';
import { t } from '../i18n';
import type { ManualRun } from '../types/runSource';
import { Rows } from '../fields/Rows';
import { textColumn } from '../fields/textColumn';

const COLUMNS = [
  textColumn<ManualRun>({ title: 'Name', member: 'name', example: 'batch-64' }),
  textColumn<ManualRun>({ title: 'From', member: 'from', example: '2026-03-01T08:00:00Z' }),
  textColumn<ManualRun>({ title: 'To (empty: still running)', member: 'to', example: 'now-1h' }),
];

interface Props {
  value: ManualRun[];
  onChange: (runs: ManualRun[]) => void;
}

/** Runs by name and time. */
export function ManualRunsField({ value, onChange }: Props) {
  return (
    <EditorField
      label={t('Runs by hand')}
      tooltip={t(
        'Times are RFC 3339, milliseconds since 1970, or relative such as now-1d. All may be dashboard variables.'
      )}
    >
      <Rows
        itemLabel={t('run')}
        columns={COLUMNS}
        items={value}
        onChange={(runs) => onChange(runs ?? [])}
        blank={{ name: '', from: '', to: '' }}
        isBlank={({ name }) => name === ''}
      />
    </EditorField>
  );
}
