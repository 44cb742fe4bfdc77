import React, { useMemo } from 'react';
import { t } from '../../i18n';
import type { FineTuningCurvesQuery } from './query';
import { ChoicesField } from '../../fields/ChoicesField';
import type { FieldsProps } from '../definition';
import { USUAL_METRICS } from '../runComparison/metrics';
import { ListRow } from '../../fields/ListField';
import { JOB_OPTIONS } from '../jobFilters';

export function Fields(props: FieldsProps<FineTuningCurvesQuery>) {
  const { query, onChange, data } = props;
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
    </ListRow>
  );
}
