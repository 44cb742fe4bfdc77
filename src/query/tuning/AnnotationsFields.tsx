import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { FineTuningAnnotationsQuery } from '../../types';
import { ChoicesField } from './ChoicesField';
import type { FieldsProps } from './fields';
import { JobFilterFields } from './JobFilterFields';

const DRAWN = [
  { value: 'jobs', label: 'Jobs', description: 'A span from the start of a job to its end' },
  { value: 'statusChanges', label: 'Status changes', description: 'A mark where a job was queued, started, failed, …' },
  { value: 'checkpoints', label: 'Checkpoints', description: 'A mark for each checkpoint, with its metrics' },
];

export function AnnotationsFields({ query, onChange, gateway }: FieldsProps<FineTuningAnnotationsQuery>) {
  return (
    <>
      <EditorRow>
        <ChoicesField
          label="Show"
          noun="kind of event"
          wide
          placeholder="Jobs and checkpoints"
          options={DRAWN}
          values={query.show}
          onChange={(show) => onChange({ ...query, show: show as FineTuningAnnotationsQuery['show'] })}
        />
      </EditorRow>
      <EditorRow>
        <JobFilterFields query={query} onChange={onChange} gateway={gateway} />
      </EditorRow>
    </>
  );
}
