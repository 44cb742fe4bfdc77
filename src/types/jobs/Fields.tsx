import React, { useId } from 'react';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { InlineSwitch } from '@grafana/ui';
import { t } from '../../i18n';
import type { FineTuningJobsQuery, JobsFormat } from './query';
import type { FieldsProps } from '../definition';
import { ListRow } from '../../fields/ListField';
import { JOB_OPTIONS } from '../jobFilters';
import { FormatField, type Format } from '../../fields/FormatField';

const FORMATS: Array<Format<JobsFormat>> = [
  { value: 'table', label: 'Table', description: 'A row for each job' },
  { value: 'timeline', label: 'Timeline', description: 'The status of each job over time, for a state timeline panel' },
  {
    value: 'count',
    inAlerts: true,
    label: 'Count',
    description: 'How many jobs there are of each status and model, for stat panels and alert rules',
  },
  {
    value: 'countByJob',
    inAlerts: true,
    label: 'Count by job',
    description: 'A 1 for each job, labeled with its name, for alert rules that name it',
  },
];

export function Fields(props: FieldsProps<FineTuningJobsQuery>) {
  const { query, onChange } = props;
  const id = useId();
  return (
    <>
      <ListRow {...props} options={JOB_OPTIONS} />
      <EditorRow>
        <FormatField {...props} formats={FORMATS} />
        <EditorField
          label={t('Only in range')}
          tooltip={t('Leaves out jobs that ended before the time range or started after it.')}
          htmlFor={id}
        >
          <InlineSwitch
            id={id}
            value={query.onlyInRange ?? true}
            onChange={(event) => onChange({ ...query, onlyInRange: event.currentTarget.checked ? undefined : false })}
          />
        </EditorField>
      </EditorRow>
    </>
  );
}
