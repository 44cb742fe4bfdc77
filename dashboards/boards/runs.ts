import { board } from '../lib/board.ts';
import { anyIs, GPU_HOURS, percent, STATUSES, type Look, type Steps } from '../lib/display.ts';
import { RUNS } from '../lib/missing.ts';
import { toRun } from '../lib/links.ts';
import { curves, list, type GraphSpec } from '../lib/panels.ts';
import { inSteps, ofEachRun } from '../lib/quantities.ts';
import { type Query } from '../lib/queries.ts';
import { oneRun, RUN_SOURCE, runs as runsVariable, runSource, text } from '../lib/variables.ts';

/** The runs that are chosen, and which GPUs they have: as it is typed in, with its quotes. */
const CHOSEN_RUNS = { source: RUN_SOURCE, selector: '${matchers:raw}', runs: ['$runs'] };

/** Which of both is better. */
const LESS: Steps = [
  [0, 'green'],
  [-0.02, 'text'],
  [0.02, 'red'],
];
const MORE: Steps = [
  [0, 'red'],
  [-0.02, 'text'],
  [0.02, 'green'],
];

/**
 * A measure, and its difference to the baseline in color. Grafana tells the columns of a table apart by their titles: two of one
 * title would show the same values.
 */
const compared = (measure: string, difference: string, look: Look, better: Steps): Record<string, Look> => ({
  [measure]: { width: 85, ...look },
  [`${measure}_difference`]: {
    ...percent(`± ${difference}`, 95),
    cell: 'color-text',
    steps: better,
  },
});

const measures = list({
  title: 'What each run took, and its difference to the baseline',
  description:
    'A row for each run, newest first. The columns ± are the differences to the baseline, as shares of its number: green is better, red is worse. “GPUs by” says how the GPUs of a run are known: by the matchers above, by its labels, its pod, its Slurm job and their nodes, or not at all; without, there is no cost. Utilization is the mean. The longest gap is that without a checkpoint, which a failure would have lost; XID errors are changes of the code of a GPU. Click a name to see the run alone, in its own time.',
  missing: RUNS,
  height: 9,
  queries: [
    {
      queryType: 'runs',
      ...CHOSEN_RUNS,
      measures: ['gpus', 'gpu_hours', 'energy', 'cost', 'last_loss', 'utilization', 'longest_checkpoint_gap', 'xids'],
      baseline: '$baseline',
    },
  ],
  columns: {
    run: { title: 'Run', minWidth: 140, link: toRun },
    status: { title: 'Status', width: 115, words: STATUSES, cell: 'color-text' },
    length: { title: 'Length', unit: 's', decimals: 1, width: 90 },
    gpus: { title: 'GPUs', unit: 'locale', width: 60, absent: '–' },
    attribution: { title: 'GPUs by', width: 75 },
    ...compared('last_loss', 'loss', { title: 'Last loss', decimals: 3 }, LESS),
    ...compared('gpu_hours', 'GPU-hours', GPU_HOURS, LESS),
    ...compared('utilization', 'utilization', { title: 'Utilization', decimals: 0 }, MORE),
    energy: { title: 'Energy', decimals: 1, width: 90 },
    cost: { title: 'Cost', decimals: 0, width: 80, absent: '–' },
    longest_checkpoint_gap: { title: 'Longest gap', decimals: 1, width: 105, absent: '–' },
    xids: { title: 'XID errors', decimals: 0, width: 85, cell: 'color-text', steps: anyIs('red') },
    run_id: { hidden: true },
    start: { hidden: true },
    until: { hidden: true },
  },
  computed: { length_ms: ['length', '*', '1000'], until: ['start', '+', 'length_ms'] },
});

/** A line for each run that is chosen, over the seconds since its start: the newest ten, because more lines look alike. */
const elapsed = (query: Partial<Query>, spec: Omit<GraphSpec, 'queries'>) =>
  curves({
    ...spec,
    height: 9,
    x: 'elapsed',
    queries: [{ queryType: 'runComparison', ...CHOSEN_RUNS, axis: 'elapsed', maxRuns: 10, ...query } as Query],
  });

// Of series, it is their own expression. Neither is about GPUs.
const loss = elapsed(
  { metric: '$metric', selector: undefined },
  {
    title: 'Loss by elapsed time',
    description: 'Every run from its own start: the training metric of fine-tuning jobs, or the series themselves.',
    missing: 'no chosen run reports a loss, as the series of Slurm jobs and pods don’t.',
    unit: 'none',
  }
);

const utilization = elapsed(
  { expr: inSteps('utilization', ofEachRun) },
  {
    title: 'Utilization by elapsed time, mean',
    description: 'Over the GPUs of each run.',
    unit: 'percent',
  }
);

export const runs = board({
  uid: 'gpucloud-runs',
  title: 'Runs',
  question: 'Which run is better, and what did it take?',
  description: 'Fine-tuning jobs, Slurm jobs, pods or a time by hand, alone or side by side. Made to be shared.',
  refresh: 'never',
  from: 'now-24h',
  variables: [
    ...runSource(),
    runsVariable(),
    oneRun('baseline', 'Baseline'),
    { ...text('metric', 'Training metric', 'train_loss'), description: 'Of fine-tuning jobs' },
  ],
  sections: [{ panels: [measures, [loss, utilization]] }],
});
