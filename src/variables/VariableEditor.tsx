import React from 'react';
import type { QueryEditorProps } from '@grafana/data';
import { PromVariableQueryEditor } from '@grafana/prometheus';
import { Field, RadioButtonGroup, Stack } from '@grafana/ui';
import type { DataSource } from '../datasource';
import { isFineTuningVariable, type GpuCloudOptions, type GpuCloudQuery, type GpuCloudVariableQuery } from '../types';
import { FineTuningVariableEditor } from './FineTuningVariableEditor';

type Props = QueryEditorProps<DataSource, GpuCloudQuery, GpuCloudOptions, GpuCloudVariableQuery>;

const REF_ID = 'GpuCloudVariable';

const KINDS = [
  { value: false, label: 'Metrics', description: 'Label names, label values and results of PromQL' },
  { value: true, label: 'Fine-tuning', description: 'Jobs, models, statuses and checkpoints' },
];

/** What a dashboard variable's values are: Prometheus' kinds, or those of fine-tuning. */
export function VariableEditor({ datasource, onChange, onRunQuery, query, range }: Props) {
  const isFineTuning = Boolean(query) && isFineTuningVariable(query);
  // A new variable has no query yet, or an empty text for one.
  const refId = query?.refId ?? REF_ID;
  const changeKind = (toFineTuning: boolean) =>
    onChange(toFineTuning ? { refId, queryType: 'fineTuningJobs' } : { refId, query: '' });

  return (
    <Stack direction="column" gap={1}>
      <Field label="Values from" noMargin>
        <RadioButtonGroup aria-label="Values from" options={KINDS} value={isFineTuning} onChange={changeKind} />
      </Field>
      {isFineTuning ? (
        <FineTuningVariableEditor query={query} onChange={onChange} gateway={datasource.gateway} />
      ) : (
        <PromVariableQueryEditor
          datasource={datasource.metrics}
          query={query}
          onChange={onChange}
          onRunQuery={onRunQuery}
          range={range}
        />
      )}
    </Stack>
  );
}
