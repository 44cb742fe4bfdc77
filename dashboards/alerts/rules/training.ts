import type { FindingKind } from '../../../src/types/trainingHealth/query.ts';
import { DAY, QUARTER_HOUR, typed } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';

/** What is to be stopped: the number is 1 for a finding that is the case, else 0. */
const WRONG: FindingKind[] = ['notFinite', 'diverging'];

/** What the finding of an alert means, as the end of a sentence. */
const FOUND =
  '{{ if eq $labels.finding "notFinite" }}is not a number, or is not reported any more{{ else }}left its best value and does not come back{{ end }}';

/** A finding about jobs that run. */
const found = (...findings: FindingKind[]) =>
  typed(DAY, { queryType: 'trainingHealth', statuses: ['running'], findings, format: 'number' });

const JOB = '{{ or $labels.job_name $labels.job }}';

const DIVERGES =
  'Read the evidence in the table, cancel the job, and start again from a checkpoint before that, with a lower learning rate.';

export const fineTuning: RuleGroup = {
  name: 'Fine-tuning',
  rules: [
    {
      id: 'job-failed',
      title: 'Fine-tuning job failed',
      severity: 'warning',
      query: typed(QUARTER_HOUR, { queryType: 'fineTuningJobs', format: 'countByJob', statuses: ['failed'] }),
      summary: 'Fires when a fine-tuning job failed within 15 minutes.',
      description: `Job ${JOB} of {{ or $labels.model "an unknown model" }} failed within the past 15 minutes.`,
      action: 'Read the error of the job in the table of jobs: it says what to correct before creating the job again.',
      link: { board: 'jobs', panel: 'Results of jobs' },
    },
    {
      id: 'job-overdue',
      title: 'Fine-tuning job will not finish by its estimate',
      severity: 'warning',
      query: found('late'),
      pending: '5m',
      summary: 'Fires when the steps of a job, or the time, show that it misses its estimated finish.',
      description: `Job ${JOB} finishes later than the gateway estimates, or should have finished, by more than a tenth of its length and 15 minutes.`,
      action:
        'Look at when it finishes by its steps: wait if that is soon enough, and look for what slows it down if not.',
      link: { board: 'jobs', panel: 'Jobs that go on, and when they finish', hours: 24 },
    },
    {
      id: 'job-loss',
      title: 'Training of a fine-tuning job diverges',
      severity: 'critical',
      query: found(...WRONG),
      summary:
        'Fires when a loss or an accuracy of a job is not a number, or left its best value and does not come back.',
      description: `A loss or an accuracy of job ${JOB} ${FOUND}.`,
      action: DIVERGES,
      link: { board: 'jobs', panel: 'Which jobs to stop, and why', hours: 24 },
    },
    {
      id: 'job-stalled',
      title: 'Fine-tuning job makes no steps',
      severity: 'critical',
      query: found('stalled'),
      summary: 'Fires when a running job reports no step for much longer than usual.',
      description: `Job ${JOB} is running, and reports no step for six times the usual time and a quarter of an hour.`,
      action: 'Look at the nodes and the events of the job, and cancel it if no step comes.',
      link: { board: 'jobs', panel: 'Which jobs to stop, and why', hours: 24 },
    },
  ],
};

/** Change the name to that of your metric. */
const LOSS = 'training_loss{metrics_source="custom-metrics"}';

export const customMetrics: RuleGroup = {
  name: 'Custom metrics',
  rules: [
    {
      id: 'training-loss',
      title: 'Training loss diverges',
      severity: 'critical',
      query: typed(DAY, {
        queryType: 'trainingHealth',
        expr: `max by (pod_name) (${LOSS})`,
        findings: WRONG,
        format: 'number',
      }),
      summary:
        'Fires when the training loss of a pod is not a number, or left its lowest value and does not come back.',
      description: `The training loss of pod {{ $labels.pod_name }} ${FOUND}.`,
      action: DIVERGES,
      link: {
        board: 'runs',
        panel: 'Loss by elapsed time',
        variables: {
          source: 'series',
          series: { label: '$labels.pod_name', format: `${LOSS.slice(0, -1)}, pod_name=%q}` },
        },
      },
    },
  ],
};
