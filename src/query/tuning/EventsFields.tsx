import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { FineTuningEventsQuery } from '../../types';
import { ChoicesField } from './ChoicesField';
import type { FieldsProps } from './fieldsProps';
import { JobFilterFields } from './JobFilterFields';

/** Levels of events, by the convention that gateways follow. */
const LEVELS = ['info', 'warn', 'error'].map((value) => ({ value }));

export function EventsFields({ query, onChange, gateway }: FieldsProps<FineTuningEventsQuery>) {
  return (
    <EditorRow>
      <JobFilterFields query={query} onChange={onChange} gateway={gateway} />
      <ChoicesField
        label="Levels"
        itemLabel="level"
        placeholder="All levels"
        options={LEVELS}
        values={query.levels}
        onChange={(levels) => onChange({ ...query, levels })}
      />
    </EditorRow>
  );
}
