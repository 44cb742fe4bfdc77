import type { RunSource } from '../../src/types/runSource.ts';
import { GPU, type Family } from './families.ts';
import { curves } from './panels.ts';
import { type Query } from './queries.ts';

/**
 * The source of runs that is picked on the dashboard. Its kind is a variable, so it has the options of all kinds: the one that is
 * picked decides which of them count.
 */
export const RUN_SOURCE = {
  kind: '$source',
  expr: '${series:raw}',
  by: ['$by'],
  runs: [{ name: 'The time range shown', from: '${__from}', to: '${__to}' }],
} as unknown as RunSource;

/** Which GPUs the runs have: as it is typed in, with its quotes. */
const RUN_GPUS = { source: RUN_SOURCE, selector: '${matchers:raw}' };

/** The runs that are chosen on the dashboard. */
export const CHOSEN_RUNS = { ...RUN_GPUS, runs: ['$runs'] };

/** Of fine-tuning jobs, the training metric; of series, their own expression. Neither is about GPUs. */
export const METRIC = { metric: '$metric', selector: undefined };

/** More lines than that can't be told apart. */
const MOST_RUNS = 10;

interface Curve {
  family?: Family;
  unit?: string;
  width?: number;
}

/** A line for each run that is chosen, the newest ten, over the seconds since its start. */
export const elapsed = (title: string, description: string, query: Partial<Query>, curve: Curve = {}) =>
  curves({
    title,
    description,
    family: GPU,
    width: 12,
    height: 9,
    unit: 'none',
    ...curve,
    x: 'elapsed',
    queries: [{ queryType: 'runComparison', ...CHOSEN_RUNS, axis: 'elapsed', maxRuns: MOST_RUNS, ...query } as Query],
  });
