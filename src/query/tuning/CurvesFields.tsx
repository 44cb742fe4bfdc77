import React, { useMemo } from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { CurveAxis, FineTuningCurvesQuery } from '../../types';
import { ChoiceField } from '../ChoiceField';
import { ChoicesField } from './ChoicesField';
import type { FieldsProps } from './fieldsProps';
import { JobFilterFields } from './JobFilterFields';
import { isAlerting } from '../../queryTypes';

const AXES: Array<{ value: CurveAxis; label: string; description: string }> = [
  { value: 'time', label: 'Time', description: 'For time series panels and alert rules' },
  { value: 'step', label: 'Step', description: 'Compares jobs step by step, in a trend or XY chart panel' },
];

/** Metrics of a checkpoint, by the convention that gateways follow. */
export const USUAL_METRICS = [
  'train_loss',
  'valid_loss',
  'full_valid_loss',
  'train_mean_token_accuracy',
  'valid_mean_token_accuracy',
];

export function CurvesFields({ query, onChange, gateway, data, app }: FieldsProps<FineTuningCurvesQuery>) {
  const series = data?.series;
  const metrics = useMemo(() => {
    const inResult = (series ?? []).flatMap((frame) => frame.fields.map((field) => field.labels?.metric ?? ''));
    return [...new Set([...inResult, ...USUAL_METRICS])].filter(Boolean).map((value) => ({ value }));
  }, [series]);

  return (
    <EditorRow>
      <JobFilterFields query={query} onChange={onChange} gateway={gateway} />
      <ChoicesField
        label="Metrics"
        itemLabel="metric"
        tooltip="Losses, accuracies and other metrics that the jobs report."
        placeholder="All metrics"
        options={metrics}
        values={query.metrics}
        onChange={(chosen) => onChange({ ...query, metrics: chosen })}
      />
      {!isAlerting(app) && (
        <ChoiceField
          label="X axis"
          options={AXES}
          value={query.xAxis ?? 'time'}
          onChange={(xAxis) => onChange({ ...query, xAxis })}
        />
      )}
    </EditorRow>
  );
}
