import { board } from '../lib/board.ts';
import { badAbove, badBelow, LEVELS, neutral, plain, STATUSES, type Look } from '../lib/display.ts';
import { GPU, JOBS, RUNS } from '../lib/families.ts';
import { toComparisonOfRun, toNodeOfRun, toReport } from '../lib/links.ts';
import { bars, facts, list } from '../lib/panels.ts';
import { average, fleetAverage, fleetLowest, HOST, ofRun, withNode } from '../lib/promql.ts';
import { CHOSEN_RUNS, elapsed, METRIC } from '../lib/runs.ts';
import { host, jobOfRun, oneRun, runSource, text } from '../lib/variables.ts';

/** The run as a fine-tuning job. Runs of series are none: their panels say so. */
const AS_JOB = { jobIds: ['$job'] };

const what = list({
  title: 'The run',
  description:
    '“GPUs by” says how its GPUs are known: by its labels, by the selector above, or all that reported meanwhile. Click the name to set the time range to the run’s own, or “Compare with…”.',
  family: RUNS,
  width: 24,
  height: 4,
  queries: [{ queryType: 'runs', ...CHOSEN_RUNS, measures: ['gpus'] }],
  columns: {
    run: { title: 'Run', minWidth: 180, link: toReport },
    status: { title: 'Status', width: 110, words: STATUSES, cell: 'color-text', steps: plain },
    start: { title: 'Start', width: 165 },
    end: { title: 'End', width: 165, absent: 'still running' },
    length: { title: 'Length', unit: 's', decimals: 1, width: 110 },
    gpus: { title: 'GPUs', width: 80 },
    attribution: { title: 'GPUs by', width: 100 },
    until: { title: 'Compare', width: 130, text: 'Compare with…', link: toComparisonOfRun },
    run_id: { hidden: true },
  },
  computed: { length_ms: ['length', '*', '1000'], until: ['start', '+', 'length_ms'] },
  limit: 1,
});

interface Facts {
  title: string;
  description: string;
  measures: Record<string, Look>;
}

const measured = ({ title, description, measures }: Facts) =>
  facts({
    title,
    description,
    family: RUNS,
    width: 24,
    height: 4,
    unit: 'none',
    queries: [{ queryType: 'runs', ...CHOSEN_RUNS, measures: Object.keys(measures), format: 'number' }],
    looks: measures,
  });

const cost = measured({
  title: 'What it took',
  description: 'GPU-hours, energy and cost. A cost needs prices in the settings of the data source.',
  measures: {
    gpu_hours: { title: 'GPU-hours', unit: 'none', decimals: 1 },
    energy: { title: 'Energy', decimals: 1 },
    cost: { title: 'Cost', decimals: 2 },
    tokens: { title: 'Tokens' },
    tokens_per_gpu_hour: { title: 'Tokens per GPU-hour' },
    bytes_read: { title: 'Data read', decimals: 1 },
    bytes_written: { title: 'Data written', decimals: 1 },
  },
});

const result = measured({
  title: 'What came of it',
  description:
    'Losses, checkpoints and errors. The longest time without a checkpoint is what a failure would have lost.',
  measures: {
    best_loss: { title: 'Best loss', decimals: 3 },
    last_loss: { title: 'Last loss', decimals: 3 },
    checkpoints: { title: 'Checkpoints', decimals: 0 },
    longest_checkpoint_gap: { title: 'Longest time without a checkpoint', decimals: 1 },
    xids: { title: 'XID errors', decimals: 0, steps: badAbove(1, 1) },
    utilization: { title: 'GPU utilization', decimals: 0, steps: badBelow(30, 60) },
    utilization_p5: { title: 'Utilization, 5th percentile', decimals: 0 },
  },
});

const time = bars({
  title: 'Where its time went',
  description:
    'Shares of its GPU time, which add up to the whole: with work, without work, and with work that heat or the power limit slowed down.',
  family: RUNS,
  width: 8,
  height: 9,
  unit: 'percentunit',
  min: 0,
  max: 1,
  steps: neutral,
  queries: [{ queryType: 'runs', ...CHOSEN_RUNS, measures: ['busy', 'idle', 'throttled'], format: 'number' }],
  looks: {
    busy: { title: 'Busy' },
    idle: { title: 'Idle' },
    throttled: { title: 'Throttled' },
  },
});

const losses = elapsed(
  'Loss by elapsed time',
  'The training metric of a fine-tuning job, or the series itself.',
  METRIC,
  { family: RUNS, width: 16 }
);

const UTIL = ofRun('DCGM_FI_DEV_GPU_UTIL');

const utilization = elapsed(
  'Utilization by elapsed time',
  'Average over its GPUs.',
  { expr: fleetAverage(UTIL) },
  { unit: 'percent' }
);

const slowest = elapsed(
  'Lowest utilization of any GPU by elapsed time',
  'A GPU that waits while others work shows here.',
  { expr: fleetLowest(UTIL) },
  { unit: 'percent' }
);

const nodes = list({
  title: 'Nodes',
  description:
    'Up to twelve nodes of the run, the least used first. A click leads to the node in the time range above.',
  family: GPU,
  width: 12,
  height: 11,
  queries: [
    {
      queryType: 'runComparison',
      ...CHOSEN_RUNS,
      axis: 'elapsed',
      expr: withNode(`avg by (cluster_id, ${HOST}) (${average(UTIL)})`),
    },
  ],
  columns: {
    node: { title: 'Node', link: toNodeOfRun },
    cluster_id: { title: 'Cluster' },
    Mean: { title: 'Mean utilization', unit: 'percent', decimals: 0, width: 130 },
    Min: { title: 'Lowest', unit: 'percent', decimals: 0, width: 80 },
  },
  reduced: ['mean', 'min'],
  required: 'node',
  sortBy: 'Mean utilization',
  rising: true,
  limit: 12,
});

const checkpoints = list({
  title: 'Checkpoints',
  description: 'The newest checkpoints of a fine-tuning job, up to twelve.',
  family: { ...JOBS, missing: 'the run is no fine-tuning job, and has no checkpoint that the gateway knows of.' },
  width: 12,
  height: 11,
  queries: [{ queryType: 'fineTuningCheckpoints', ...AS_JOB }],
  columns: {
    checkpoint_id: { title: 'Checkpoint' },
    step: { title: 'Step', width: 80 },
    created: { title: 'Created', width: 165 },
    train_loss: { title: 'Training loss', decimals: 3, width: 110 },
    valid_loss: { title: 'Validation loss', decimals: 3, width: 120 },
  },
  sortBy: 'Step',
  limit: 12,
});

const events = list({
  title: 'Events',
  description: 'What a fine-tuning job reported last, up to twelve lines.',
  family: { ...JOBS, missing: 'the run is no fine-tuning job, and has no events.' },
  width: 24,
  height: 11,
  queries: [{ queryType: 'fineTuningEvents', ...AS_JOB }],
  columns: {
    timestamp: { title: 'Time', width: 165 },
    severity: { title: 'Level', width: 80, words: LEVELS, cell: 'color-text', steps: plain },
    body: { title: 'Event', wrap: true },
  },
  limit: 12,
});

export const runReport = () =>
  board({
    uid: 'gpucloud-run-report',
    title: 'Run report',
    description: 'One training run: what it did, what it took and where its time went. Made to be printed and shared.',
    from: 'now-7d',
    annotated: 'never',
    variables: [
      ...runSource(),
      oneRun('runs', 'Run'),
      jobOfRun(),
      text('metric', 'Training metric', 'train_loss').description('Of fine-tuning jobs'),
      host(),
    ],
    sections: [{ panels: [what, cost, result, losses, time, utilization, slowest, nodes, checkpoints, events] }],
  });
