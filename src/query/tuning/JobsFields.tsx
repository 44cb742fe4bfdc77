import React from 'react';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { InlineSwitch } from '@grafana/ui';
import type { FineTuningJobsQuery, JobsFormat } from '../../types';
import { ChoiceField } from '../ChoiceField';
import type { FieldsProps } from './fieldsProps';
import { JobFilterFields } from './JobFilterFields';
import { isAlerting } from '../../queryTypes';

const FORMATS: Array<{ value: JobsFormat; label: string; description: string }> = [
  { value: 'table', label: 'Table', description: 'A row for each job' },
  {
    value: 'results',
    label: 'Results',
    description: 'A row for each job with its error, last losses and GPU hours, the best job first',
  },
  { value: 'timeline', label: 'Timeline', description: 'The status of each job over time, for a state timeline panel' },
  { value: 'count', label: 'Count', description: 'How many jobs have each status, for stat panels and alert rules' },
  {
    value: 'countByJob',
    label: 'Count by job',
    description: 'A 1 for each job, labeled with its name, for alert rules that name it',
  },
  {
    value: 'overdue',
    label: 'Overdue',
    description: 'Seconds past the estimated finish, for each job that has not ended',
  },
];

/** Alert rules need numbers. */
const ALERT_FORMATS = FORMATS.filter(({ value }) => ['count', 'countByJob', 'overdue'].includes(value));

export function JobsFields({ query, onChange, gateway, app }: FieldsProps<FineTuningJobsQuery>) {
  const formats = isAlerting(app) ? ALERT_FORMATS : FORMATS;
  const format = query.format ?? 'table';
  return (
    <>
      <EditorRow>
        <JobFilterFields query={query} onChange={onChange} gateway={gateway} />
      </EditorRow>
      <EditorRow>
        <ChoiceField
          label="Format"
          options={formats}
          value={formats.some(({ value }) => value === format) ? format : formats[0].value}
          onChange={(chosen) => onChange({ ...query, format: chosen })}
        />
        <EditorField
          label="Only in range"
          tooltip="Leaves out jobs that ended before the time range or started after it."
          htmlFor={`only-in-range-${query.refId}`}
        >
          <InlineSwitch
            id={`only-in-range-${query.refId}`}
            value={query.onlyInRange ?? true}
            onChange={(event) => onChange({ ...query, onlyInRange: event.currentTarget.checked ? undefined : false })}
          />
        </EditorField>
      </EditorRow>
    </>
  );
}
