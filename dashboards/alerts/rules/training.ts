import { ask, math, over, reduce, threshold, type Condition } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';
import { valueOf } from '../texts.ts';

const QUARTER_HOUR = 15 * 60;
const DAY = 24 * 60 * 60;

/** Higher than any loss. */
const NO_LOSS = 1e9;
/** The same in a template, where only a number with a point or an exponent is a float. */
const NO_LOSS_TEXT = '1e9';

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

/** Where the last loss is, next to the lowest. Either may not be a number; then nothing is printed for it. */
const LOSS = `{{ if lt ${valueOf('B')} ${NO_LOSS_TEXT} }}is {{ humanize ${valueOf('B')} }}{{ else }}is not a number{{ end }}{{ if lt ${valueOf('C')} ${NO_LOSS_TEXT} }}; its lowest was {{ humanize ${valueOf('C')} }}{{ end }}`;

const JOB = '{{ or $labels.job_name $labels.job }}';
const OF_JOB = { job: '$labels.job' };

const DIVERGES =
  'Cancel the job if the loss goes on rising, and start again from a checkpoint before the rise, with a lower learning rate.';

export const fineTuning: RuleGroup = {
  name: 'Fine-tuning',
  interval: '1m',
  rules: [
    {
      id: 'job-failed',
      title: 'Fine-tuning job failed',
      severity: 'warning',
      query: ask(QUARTER_HOUR, { queryType: 'fineTuningJobs', format: 'countByJob', statuses: ['failed'] }),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'OK', because: 'no job failed' },
      summary: 'Fires when a fine-tuning job failed within 15 minutes.',
      description: `Job ${JOB} of {{ or $labels.model "an unknown model" }} failed within the past 15 minutes.`,
      action: 'Read the error of the job in the table of jobs: it says what to correct before creating the job again.',
      link: { board: 'fine-tuning', panel: 'How jobs ended', variables: OF_JOB },
    },
    {
      id: 'job-overdue',
      title: 'Fine-tuning job past its estimate',
      severity: 'warning',
      query: ask(QUARTER_HOUR, { queryType: 'fineTuningJobs', format: 'overdue', statuses: ['running'] }),
      conditions: [threshold('A', 'gt', QUARTER_HOUR)],
      pending: '5m',
      noData: { state: 'OK', because: 'no job runs, or the gateway gives no estimates' },
      summary: 'Fires when a running fine-tuning job is 15 minutes past its estimated finish.',
      description: `Job ${JOB} still runs; it was to finish {{ if lt ${valueOf('A')} 0.0 }}in {{ end }}{{ humanizeDuration ${valueOf('A')} | reReplaceAll "^-" "" }}{{ if ge ${valueOf('A')} 0.0 }} ago{{ end }}.`,
      action: 'Look at its curves: wait if steps still come, cancel the job if none do.',
      link: { board: 'fine-tuning', panel: 'How jobs ended', variables: OF_JOB, hours: 24 },
    },
    {
      id: 'job-loss',
      title: 'Loss of a fine-tuning job rises',
      severity: 'warning',
      query: ask(DAY, { queryType: 'fineTuningCurves', metrics: ['train_loss'], statuses: ['running'] }),
      conditions: risingOrNaN,
      pending: '2m',
      noData: { state: 'OK', because: 'no job runs, or none has reported a loss yet' },
      summary: 'Fires when the training loss of a job is half above its lowest, or not a number.',
      description: `The training loss of job ${JOB} ${LOSS}.`,
      action: DIVERGES,
      link: { board: 'fine-tuning', panel: 'Loss over time', variables: OF_JOB, hours: 24 },
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
      summary: 'Fires when the training loss of a pod is half above its lowest of two hours, or not a number.',
      description: `The training loss of pod {{ $labels.pod_name }} ${LOSS}, over two hours.`,
      action: DIVERGES,
      link: {
        board: 'custom-metrics',
        panel: '$gauge',
        variables: { pod: '$labels.pod_name', gauge: 'training_loss' },
      },
    },
  ],
};
