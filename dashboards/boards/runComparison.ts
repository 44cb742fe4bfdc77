import { board } from '../lib/board.ts';
import { plain, STATUSES, type Look, type Steps } from '../lib/display.ts';
import { PROFILING, RUNS } from '../lib/families.ts';
import { toReport } from '../lib/links.ts';
import { list } from '../lib/panels.ts';
import { average, fleetAverage, ofRun } from '../lib/promql.ts';
import { CHOSEN_RUNS, elapsed, METRIC } from '../lib/runs.ts';
import { oneRun, runs, runSource, text } from '../lib/variables.ts';

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
  [measure]: { width: 90, ...look },
  [`${measure}_difference`]: {
    title: `± ${difference}`,
    unit: 'percentunit',
    decimals: 0,
    width: 105,
    cell: 'color-text',
    steps: better,
  },
});

const measures = list({
  title: 'Measures and their difference to the baseline',
  description:
    'A row for each run, newest first. The columns ± are the differences to the baseline, as shares of its number: green is better, red is worse. “GPUs by” says how the GPUs of a run are known: by its labels, by the selector above, or all that reported meanwhile. Costs need prices in the settings. Click a name for the report of the run.',
  family: RUNS,
  width: 24,
  height: 9,
  queries: [{ queryType: 'runs', ...CHOSEN_RUNS, baseline: '$baseline' }],
  columns: {
    run: { title: 'Run', minWidth: 150, link: toReport },
    status: { title: 'Status', width: 95, words: STATUSES, cell: 'color-text', steps: plain },
    length: { title: 'Length', unit: 's', decimals: 1, width: 90 },
    gpus: { title: 'GPUs', width: 70 },
    attribution: { title: 'GPUs by', width: 80 },
    ...compared('last_loss', 'loss', { title: 'Last loss', decimals: 3 }, LESS),
    ...compared('gpu_hours', 'GPU-hours', { title: 'GPU-hours', unit: 'none', decimals: 1 }, LESS),
    ...compared('utilization', 'utilization', { title: 'Utilization', decimals: 0 }, MORE),
    throttled: { title: 'Throttled', decimals: 1, width: 90 },
    ...compared('energy', 'energy', { title: 'Energy', decimals: 1 }, LESS),
    ...compared('tokens_per_gpu_hour', 'tokens', { title: 'Tokens/GPU-hour', width: 125 }, MORE),
    ...compared('cost', 'cost', { title: 'Cost', decimals: 0 }, LESS),
    run_id: { hidden: true },
    start: { hidden: true },
    until: { hidden: true },
  },
  computed: { length_ms: ['length', '*', '1000'], until: ['start', '+', 'length_ms'] },
});

const loss = elapsed(
  'Loss by elapsed time',
  'Every run from its own start: the training metric of fine-tuning jobs, or the series themselves.',
  METRIC,
  { family: RUNS, width: 24 }
);

const BASELINE = { ...METRIC, baseline: '$baseline' };

const difference = elapsed(
  'Difference to the baseline by elapsed time',
  'Each run minus the baseline, at the points of the baseline; not across gaps. The thin lines are the threshold that is chosen above.',
  { ...BASELINE, difference: true },
  { family: RUNS, width: 16, limit: '$threshold' }
);

const divergence = list({
  title: 'Where runs part from the baseline',
  description:
    'The first time from which on a run differs from the baseline by more than the threshold chosen above, until the last point that both have. A dash where a run does not part.',
  family: RUNS,
  width: 8,
  height: 9,
  queries: [
    {
      queryType: 'runComparison',
      ...CHOSEN_RUNS,
      ...BASELINE,
      axis: 'elapsed',
      format: 'divergence',
      threshold: '$threshold',
    },
  ],
  columns: {
    run: { title: 'Run' },
    parts_at_elapsed: { title: 'Parts after', unit: 'suffix:h', decimals: 1, width: 110, absent: '–' },
    last_difference: { title: 'Last difference', decimals: 3, width: 120 },
  },
  sortBy: 'Parts after',
  rising: true,
});

export const runComparison = () =>
  board({
    uid: 'gpucloud-run-comparison',
    title: 'Run comparison',
    description: 'Training runs side by side: their losses, their GPUs and what they cost.',
    from: 'now-24h',
    annotated: 'never',
    variables: [
      ...runSource(),
      runs(),
      oneRun('baseline', 'Baseline'),
      text('metric', 'Training metric', 'train_loss').description('Of fine-tuning jobs'),
      text('threshold', 'Threshold', '0.1').description('A difference to the baseline that counts'),
      text('throughput', 'Throughput', 'sum(training_tokens_per_second{$run})').description(
        'PromQL. $run stands for the labels of a run of series, and for the GPU selector of other runs'
      ),
    ],
    sections: [
      { panels: [loss, measures, difference, divergence] },
      {
        title: 'The GPUs of the runs',
        panels: [
          elapsed(
            'Utilization by elapsed time',
            'Average over the GPUs of each run.',
            { expr: fleetAverage(ofRun('DCGM_FI_DEV_GPU_UTIL')) },
            { unit: 'percent' }
          ),
          elapsed(
            'Power by elapsed time',
            'Drawn by the GPUs of each run together.',
            { expr: `sum(${average(ofRun('DCGM_FI_DEV_POWER_USAGE'))})` },
            { unit: 'watt' }
          ),
          elapsed(
            'Tensor cores active by elapsed time',
            'Share of cycles in which tensor cores computed, on average over the GPUs of each run.',
            { expr: fleetAverage(ofRun('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE')) },
            { unit: 'percentunit', family: PROFILING }
          ),
          elapsed(
            'Throughput by elapsed time',
            'The expression that is chosen above: for series, what the pods of a run report. Fine-tuning jobs have no labels of their own to select series by: write one with $selector for them.',
            { expr: '${throughput:raw}' },
            { unit: 'short', family: RUNS }
          ),
        ],
      },
    ],
  });
