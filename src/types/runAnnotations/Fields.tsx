import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { RunAnnotationsQuery } from './query';
import { RunSourceFields } from '../../runs/RunSourceFields';
import { ChoicesField } from '../../fields/ChoicesField';
import type { FieldsProps } from '../definition';

const DRAWN = [
  { value: 'runs', label: 'Runs', description: 'When each run began and ended' },
  { value: 'checkpoints', label: 'Checkpoints', description: 'A point for each checkpoint of a fine-tuning job' },
];

/** What of runs is drawn over panels. */
export function Fields({ query, onChange, datasource }: FieldsProps<RunAnnotationsQuery>) {
  return (
    <RunSourceFields query={query} onChange={onChange} datasource={datasource}>
      <EditorRow>
        <ChoicesField
          label="Show"
          itemLabel="kind of event"
          placeholder="Runs"
          options={DRAWN}
          values={query.show}
          onChange={(show) => onChange({ ...query, show: show as RunAnnotationsQuery['show'] })}
        />
      </EditorRow>
    </RunSourceFields>
  );
}
