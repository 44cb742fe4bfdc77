import React, { useMemo } from 'react';
import { t } from '../../i18n';
import type { CurveAxis, FineTuningCurvesQuery } from './query';
import { ChoiceField } from '../../fields/ChoiceField';
import { ChoicesField } from '../../fields/ChoicesField';
import type { FieldsProps } from '../definition';
import { USUAL_METRICS } from '../runComparison/metrics';
import { ListRow } from '../../fields/ListField';
import { JOB_OPTIONS } from '../jobFilters';
import { isAlerting } from '../../queryTypes';

const AXES: Array<{ value: CurveAxis; label: string; description: string }> = [
  { value: 'time', label: 'Time', description: 'For time series panels and alert rules' },
  { value: 'step', label: 'Step', description: 'Compares jobs step by step, in a trend or XY chart panel' },
];

export function Fields(props: FieldsProps<FineTuningCurvesQuery>) {
  const { query, onChange, data, app } = props;
  const series = data?.series;
  const metrics = useMemo(() => {
    const inResult = (series ?? []).flatMap((frame) => frame.fields.map((field) => field.labels?.metric ?? ''));
    return [...new Set([...inResult, ...USUAL_METRICS])].filter(Boolean).map((value) => ({ value }));
  }, [series]);

  return (
    <ListRow {...props} options={JOB_OPTIONS}>
      <ChoicesField
        label={t('Metrics')}
        tooltip={t('Losses, accuracies and other metrics that the jobs report.')}
        placeholder={t('All metrics')}
        options={metrics}
        values={query.metrics}
        onChange={(chosen) => onChange({ ...query, metrics: chosen })}
      />
      {!isAlerting(app) && (
        <ChoiceField
          label={t('X axis')}
          options={AXES}
          value={query.xAxis ?? 'time'}
          onChange={(xAxis) => onChange({ ...query, xAxis })}
        />
      )}
    </ListRow>
  );
}
