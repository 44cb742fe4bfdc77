import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { RunAnnotationsQuery } from '../../runs/query';
import { ChoiceField } from '../ChoiceField';
import { ChoicesField } from '../tuning/ChoicesField';
import type { FieldsProps } from './fieldsProps';

type Axis = NonNullable<RunAnnotationsQuery['axis']>;

const AXES: Array<{ value: Axis; label: string; description: string }> = [
  { value: 'time', label: 'Time', description: 'When the runs began and ended' },
  {
    value: 'rebased',
    label: 'Re-based time',
    description: 'As if every run began at the left edge, for curves on re-based time',
  },
];

const DRAWN = [
  { value: 'runs', label: 'Runs', description: 'When each run began and ended' },
  { value: 'checkpoints', label: 'Checkpoints', description: 'A point for each checkpoint of a fine-tuning job' },
];

/** What of runs is drawn over panels. */
export function RunAnnotationsFields({
  query,
  onChange,
}: Pick<FieldsProps<RunAnnotationsQuery>, 'query' | 'onChange'>) {
  return (
    <EditorRow>
      <ChoicesField
        label="Show"
        itemLabel="kind of event"
        placeholder="Runs"
        options={DRAWN}
        values={query.show}
        onChange={(show) => onChange({ ...query, show: show as RunAnnotationsQuery['show'] })}
      />
      <ChoiceField
        label="Place on"
        options={AXES}
        value={query.axis ?? 'time'}
        onChange={(axis) => onChange({ ...query, axis: axis === 'time' ? undefined : axis })}
      />
    </EditorRow>
  );
}
