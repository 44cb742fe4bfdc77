import React from 'react';
import { pick } from 'lodash';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { t } from '../../i18n';
import { countUpTo } from '../../config/validation';
import type { RunAxis, RunComparisonQuery } from './query';
import { ChoiceField } from '../../fields/ChoiceField';
import { OneField } from '../../fields/OneField';
import { Picker } from '../../fields/Picker';
import { TextOption } from '../../fields/TextOption';
import { useDrafts } from '../../fields/useDrafts';
import { NEW_METRIC, USUAL_METRICS } from './metrics';
import { RunFields } from '../../runs/RunFields';
import { number } from '../../saved/readers';
import type { FieldsProps } from '../definition';

const AXES: Array<{ value: RunAxis; label: string; description: string }> = [
  {
    value: 'rebased',
    label: 'Re-based time',
    description: 'All runs begin at the left edge: for time series panels and Explore',
  },
  { value: 'elapsed', label: 'Elapsed time', description: 'Hours since the start of each run: for trend panels' },
  { value: 'step', label: 'Step', description: 'Training steps, of training metrics: for trend panels' },
];

export function Fields(props: FieldsProps<RunComparisonQuery>) {
  const { query, onChange } = props;
  const axis = query.axis ?? 'elapsed';
  return (
    <RunFields
      {...props}
      options={
        <TextOption
          label={t('Max runs')}
          tooltip={t('If the source has more runs, the newest are compared, and a notice says so.')}
          example="20"
          width={10}
          value={query.maxRuns ? String(query.maxRuns) : ''}
          check={countUpTo(200)}
          onChange={(text) => onChange({ ...query, maxRuns: number(text) as RunComparisonQuery['maxRuns'] })}
        />
      }
    >
      <EditorRow>
        <WhatFields query={query} onChange={onChange} />
      </EditorRow>
      <EditorRow>
        <EditorField label={t('X axis')}>
          <Picker
            aria-label={t('X axis')}
            options={AXES}
            value={axis}
            onChange={(chosen) => onChange({ ...query, axis: chosen })}
          />
        </EditorField>
        {query.baseline && (
          <ChoiceField
            label={t('Next to the baseline')}
            options={SHOWN}
            value={query.difference ?? false}
            onChange={(difference) => onChange({ ...query, difference: difference || undefined })}
          />
        )}
      </EditorRow>
    </RunFields>
  );
}

const SHOWN = [
  { value: false, label: 'Curves', description: 'Each run, and the baseline' },
  { value: true, label: 'Difference', description: 'Each run minus the baseline, at the steps of the baseline' },
];

const KINDS = [
  { value: true, label: 'Training metric', description: 'What the jobs report, such as their losses' },
  { value: false, label: 'PromQL', description: 'Any metric over the time of each run' },
];

/** What is of a training metric, or of PromQL. */
const OF_COMPARED = ['metric', 'expr'] as const;

const METRICS = USUAL_METRICS.map((value) => ({ value }));

function WhatFields({ query, onChange }: Pick<FieldsProps<RunComparisonQuery>, 'query' | 'onChange'>) {
  const isMetric = query.metric !== undefined;
  const ofSeries = query.source.kind === 'series';
  const leave = useDrafts<Partial<RunComparisonQuery>>('compared');
  const compare = (metric: boolean) => {
    const left = leave(String(isMetric), pick(query, OF_COMPARED), String(metric));
    const cleared = { metric: metric ? NEW_METRIC : undefined, expr: undefined };
    onChange({ ...query, ...cleared, ...left });
  };
  return (
    <>
      {query.source.kind === 'fineTuning' && (
        <ChoiceField label={t('Compare')} options={KINDS} value={isMetric} onChange={compare} />
      )}
      {isMetric ? (
        <OneField
          label={t('Training metric')}
          placeholder={NEW_METRIC}
          options={METRICS}
          value={query.metric}
          onChange={(metric = NEW_METRIC) => onChange({ ...query, metric })}
        />
      ) : (
        <TextOption
          label={ofSeries ? t('Expression (optional)') : t('Expression')}
          tooltip={t('PromQL. $selector stands for the matchers of each run’s GPUs, $run for those of its own labels.')}
          example={ofSeries ? t('The series of the runs') : 'avg(DCGM_FI_DEV_GPU_UTIL{$selector})'}
          width={52}
          value={query.expr ?? ''}
          onChange={(expr) => onChange({ ...query, expr: expr || undefined })}
        />
      )}
    </>
  );
}
