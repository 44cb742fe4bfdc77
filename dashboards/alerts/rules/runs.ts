import type { TypedQuery } from '../../lib/queries.ts';
import { DAY, math, QUARTER_HOUR, type Query, threshold, typed } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';
import { fixed, valueOf } from '../texts.ts';

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
      conditions: [threshold('A', 'lt', 40)],
      pending: '15m',
      summary: 'Fires when the GPUs of a running job are used below 40 % for 15 minutes.',
      description: `The GPUs of run ${RUN} are used to ${fixed('A', 0)} % on average.`,
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
      conditions: [math('C', '$A > 3 * $B')],
      summary: 'Fires when a running job has written no checkpoint for three times its usual time between two.',
      description: `Run ${RUN} has written no checkpoint for {{ humanizeDuration ${valueOf('A')} }}; usually it takes {{ humanizeDuration ${valueOf('B')} }}.`,
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
      conditions: [threshold('A', 'gt', 1000)],
      summary: 'Fires when a running job has cost more than 1000, in the currency of the settings.',
      description: `Run ${RUN} has cost ${fixed('A', 0)} so far.`,
      action: 'Look at its curves: cancel the job if its loss no longer falls.',
      link: REPORT,
    },
  ],
};
