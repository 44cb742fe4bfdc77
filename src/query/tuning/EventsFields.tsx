import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { FineTuningEventsQuery } from '../../types';
import { ChoicesField } from './ChoicesField';
import type { FieldsProps } from './fields';
import { JobsField } from './FilterFields';

/** Levels of events, by the convention that gateways follow. */
const LEVELS = ['info', 'warn', 'error'].map((value) => ({ value }));

export function EventsFields({ query, onChange, gateway }: FieldsProps<FineTuningEventsQuery>) {
  return (
    <EditorRow>
      <JobsField gateway={gateway} values={query.jobIds} onChange={(jobIds) => onChange({ ...query, jobIds })} />
      <ChoicesField
        label="Levels"
        noun="level"
        placeholder="All levels"
        options={LEVELS}
        values={query.levels}
        onChange={(levels) => onChange({ ...query, levels })}
      />
    </EditorRow>
  );
}
