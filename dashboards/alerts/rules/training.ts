import type { FindingKind } from '../../../src/types/trainingHealth/query.ts';
import { DAY, QUARTER_HOUR, typed, type Query, type RuleGroup } from '../rule.ts';
import type { TypedQuery } from '../../lib/queries.ts';
import { fixed, valueOf } from '../texts.ts';

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
      description: `A loss or an accuracy of job ${JOB} ${FOUND}.`,
      action: DIVERGES,
      link: { board: 'jobs', panel: 'Which jobs to stop, and why', hours: 24 },
    },
    {
      id: 'job-stalled',
      title: 'Fine-tuning job makes no steps',
      severity: 'critical',
      query: found('stalled'),
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

/** Fine-tuning jobs with the GPUs that are known to be theirs: of their pod, their nodes, or the node pool that their metadata names. */
const RUNNING = {
  queryType: 'runs',
  source: { kind: 'fineTuning', statuses: ['running'] },
  format: 'number',
} satisfies TypedQuery;

/** A measure of the running jobs. A query has one, because the numbers of a rule are distinguished by their labels only. */
const measure = (id: string): Query => typed(QUARTER_HOUR, { ...RUNNING, measures: [id] });

const RUN = '{{ or $labels.run $labels.run_id }}';

/** As the rules on jobs have it. Provisioning takes `$` for a variable of the environment. */
const OF_JOB = { job: '{{ $$labels.run_id }}' };

const REPORT = {
  board: 'runs',
  panel: 'What each run took, and its difference to the baseline',
  variables: { source: 'fineTuning' },
  hours: 24,
} as const;

export const runs: RuleGroup = {
  name: 'Runs',
  rules: [
    {
      id: 'run-utilization',
      title: 'Run uses its GPUs little',
      severity: 'warning',
      labels: OF_JOB,
      query: measure('current_utilization'),
      below: 40,
      pending: '15m',
      description: `The GPUs of run ${RUN} are used to ${fixed(0)} % on average.`,
      action:
        'Open the report of the run: it waits for data if its disks are busy, and for a node if one GPU is used less than the others.',
      link: REPORT,
    },
    {
      id: 'run-checkpoint',
      title: 'Run without a checkpoint',
      severity: 'warning',
      labels: OF_JOB,
      query: measure('since_checkpoint'),
      second: measure('usual_checkpoint_gap'),
      formula: '$A > 3 * $B',
      description: `Run ${RUN} has written no checkpoint for {{ humanizeDuration ${valueOf()} }}; usually it takes {{ humanizeDuration ${valueOf('B')} }}.`,
      action:
        'Look whether its steps go on, and whether the storage that it writes to is full: a failure now loses all work since.',
      link: REPORT,
    },
    {
      id: 'run-budget',
      title: 'Run over budget',
      severity: 'warning',
      labels: OF_JOB,
      query: typed(DAY, { ...RUNNING, measures: ['cost'] }),
      above: 1000,
      description: `Run ${RUN} has cost ${fixed(0)} so far.`,
      action: 'Look at its curves: cancel the job if its loss no longer falls.',
      link: REPORT,
    },
  ],
};
