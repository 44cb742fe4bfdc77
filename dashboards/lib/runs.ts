import type { RunSource } from '../../src/runs/query.ts';

/**
 * The source of runs that is picked on the dashboard. Its kind is a variable, so it has the options of both kinds: the one that is
 * picked decides which of them count.
 */
export const RUN_SOURCE = {
  kind: '$source',
  expr: '${series:raw}',
  by: ['$by'],
} as unknown as RunSource;

/** Which GPUs the runs have: as it is typed in, with its quotes. */
export const RUN_GPUS = { source: RUN_SOURCE, selector: '${matchers:raw}' };
