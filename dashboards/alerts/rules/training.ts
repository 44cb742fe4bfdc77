import { ask, math, over, reduce, threshold, type Condition } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';

const QUARTER_HOUR = 15 * 60;
const DAY = 24 * 60 * 60;

/** Higher than any loss. */
const NO_LOSS = 1e9;

/** Rising means half above the lowest so far: the noise of batches stays far below that. */
const risingOrNaN: Condition[] = [
  reduce('B', 'A', 'last'),
  reduce('C', 'A', 'min', NO_LOSS),
  math(
    'D',
    'is_nan($B) || $B > 1.5 * $C',
    `B is the loss now, C its lowest, where ${NO_LOSS} stands for points that are not a number. 1.5 is the number to tune.`
  ),
];

export const fineTuning: RuleGroup = {
  name: 'Fine-tuning',
  interval: '1m',
  rules: [
    {
      id: 'job-failed',
      title: 'Fine-tuning job failed',
      severity: 'warning',
      query: ask(QUARTER_HOUR, { queryType: 'fineTuningJobs', format: 'count', statuses: ['failed'] }),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'OK', because: 'there has never been a job' },
      summary: 'Fine-tuning of {{ or $labels.model "a model" }} failed',
      description:
        '{{ printf "%.0f" $values.A.Value }} jobs failed within the past 15 minutes. The reason is in the column error of the query Fine-tuning → Jobs.',
    },
    {
      id: 'job-overdue',
      title: 'Fine-tuning job past its estimate',
      severity: 'warning',
      query: ask(QUARTER_HOUR, { queryType: 'fineTuningJobs', format: 'overdue', statuses: ['running'] }),
      conditions: [threshold('A', 'gt', QUARTER_HOUR)],
      pending: '5m',
      noData: { state: 'OK', because: 'no job runs, or the gateway gives no estimates' },
      summary: 'Job {{ $labels.job }} is past its estimate',
      description: 'It was to finish {{ humanizeDuration $values.A.Value }} ago and still runs.',
    },
    {
      id: 'job-loss',
      title: 'Loss of a fine-tuning job rises',
      severity: 'warning',
      query: ask(DAY, { queryType: 'fineTuningCurves', metrics: ['train_loss'], statuses: ['running'] }),
      conditions: risingOrNaN,
      pending: '2m',
      noData: { state: 'OK', because: 'no job runs, or none has reported a loss yet' },
      summary: 'The loss of job {{ $labels.job }} rises or is not a number',
      description:
        'It is {{ printf "%.3g" $values.B.Value }} and was {{ printf "%.3g" $values.C.Value }} at its lowest.',
    },
  ],
};

export const customMetrics: RuleGroup = {
  name: 'Custom metrics',
  interval: '1m',
  rules: [
    {
      id: 'training-loss',
      title: 'Training loss rises',
      severity: 'warning',
      query: over(2, 'max by (pod_name) (training_loss{metrics_source="custom-metrics"})'),
      conditions: risingOrNaN,
      pending: '2m',
      noData: { state: 'OK', because: 'no pod that trains exports the metric' },
      summary: 'The training loss of {{ $labels.pod_name }} rises or is not a number',
      description:
        'It is {{ printf "%.3g" $values.B.Value }} and was {{ printf "%.3g" $values.C.Value }} at its lowest within two hours.',
    },
  ],
};

export const capacity: RuleGroup = {
  name: 'Capacity',
  interval: '1m',
  rules: [
    {
      id: 'capacity-available',
      title: 'Capacity available again',
      severity: 'info',
      query: ask(QUARTER_HOUR, { queryType: 'capacities', format: 'number', productNames: ['h100.8x'] }),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'NoData', because: 'the platform lists products with 0 as well, so the name is wrong' },
      summary: '{{ $labels.type }} is available in {{ $labels.location }}',
      description:
        '{{ printf "%.0f" $values.A.Value }} of {{ $labels.type }} can be had in {{ $labels.location }} now.',
    },
  ],
};
