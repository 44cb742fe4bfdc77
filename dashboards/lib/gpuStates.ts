// What GPUs are for somebody who looks for trouble: the causes of GPU time in five groups.
import { FIRST_GPU } from './allocation.ts';
import { codeOf, type CauseId } from './causes.ts';
import { anyIs, neutral, type Look, type Steps } from './display.ts';
import type { GpuTime } from './causePromql.ts';
import { alsoNamed } from './host.ts';
import { ALSO_HOST, anywhere, BY_NODE, compact, HOST, inCluster, inScope, onlyChosen, withLabel } from './promql.ts';

/** GPUs of the chosen clusters. A dashboard with it has the variables of `forCountsOfGpus`. */
export const CHOSEN_GPUS: GpuTime = {
  select: inCluster,
  ofCluster: inCluster,
  ofSchedulers: (metric, ...more) => anywhere(metric, 'cluster_id=~"$scope|"', ...more),
  within: '$within ',
  labels: '$every',
  ofTeam: '$team',
  hosts: [HOST, ALSO_HOST],
  node: BY_NODE,
  named: alsoNamed,
  window: '${window}s',
  recent: '${recent}s',
  reported: '${reported}s',
  offset: '',
};

/** What the variable `live` adds changes nothing, or makes it match no cluster: then the numbers are taken from what was recorded. */
const ifLive = (metric: string, ...more: string[]): string => anywhere(metric, 'cluster_id=~"$scope$live"', ...more);

/** The same over time: where scrapes are minutes apart, a point is about the nearest sample. A dashboard with it has the variable `shift`. */
export const overTime = (of: GpuTime): GpuTime => ({ ...of, offset: '$shift' });

/**
 * Numbers of GPUs of the chosen clusters, as recorded, if they are. A dashboard with it has the variables of `forCountsOfGpus`, which say what
 * needn't be read: of ten thousand GPUs each metric takes a tenth of a second, and most GPUs have no job of Slurm and no fault.
 */
export const COUNTED_GPUS: GpuTime = {
  ...CHOSEN_GPUS,
  select: ifLive,
  ofCluster: ifLive,
  ofSchedulers: (metric, ...more) => anywhere(metric, 'cluster_id=~"$scope$live|"', ...more),
  withJobs: (metric, ...more) => anywhere(metric, 'cluster_id=~"$scope$live$jobs"', ...more),
  lacking:
    (lacked) =>
    (metric, ...more) =>
      anywhere(metric, `cluster_id=~"$scope$live$no_${lacked}"`, ...more),
  chosen: onlyChosen,
  suspected: (metric, ...more) => anywhere(metric, `${HOST}=~"|.*($faulty|$others)"`, ...more),
  recorded: (metric, ...more) => inCluster(metric, 'cluster_id!~".*$live"', ...more),
};

/** The same without what states do not tell apart. */
export const GPUS_BY_STATE: GpuTime = { ...COUNTED_GPUS, without: 'throttled' };

/**
 * GPUs of nodes whose names end in one of those in a variable of `nodesWith`, or all if it failed. Names take much of a query's length,
 * so those of the clusters are not in it: others have to be left out of the result.
 */
export const gpusOnNodes = (ends: string): GpuTime => ({
  ...CHOSEN_GPUS,
  select: (metric, ...more) => anywhere(metric, ends, ...more),
  ofCluster: inScope,
  chosen: onlyChosen,
});

const STATES: Array<{ title: string; causes: CauseId[]; steps: Steps }> = [
  { title: 'Busy', causes: ['computing', 'lowActivity', 'throttled'], steps: [[0, 'green']] },
  { title: 'Held idle', causes: ['heldIdle'], steps: neutral },
  { title: 'Free', causes: ['free'], steps: neutral },
  { title: 'Drained', causes: ['drained'], steps: neutral },
  { title: 'Down', causes: ['faulted'], steps: anyIs('red') },
  { title: 'Without data', causes: ['noData', 'notMeasured'], steps: anyIs('orange') },
];

/** Numbers by the code of a cause, added up by the label `state`: 0 for a state without any, nothing if there are no GPUs. */
export function byState(numbers: string): string {
  const states = STATES.reduce(
    (expr, { title, causes }) =>
      `label_replace(${expr}, "state", "${title}", "cause", "${causes.map(codeOf).join('|')}")`,
    numbers
  );
  const none = STATES.map(({ title }) => withLabel('vector(0)', 'state', title)).join(' or ');
  return compact(
    `sum by (state) (${states}) or on (state) ((${none}) and on () count(${inCluster('DCGM_FI_DEV_POWER_USAGE', FIRST_GPU)}) > 0)`
  );
}

/** How each state is shown, after all of them together. */
export const looksOfStates = (total: string, look: Look = {}): Record<string, Look> => ({
  [total]: { steps: neutral },
  ...Object.fromEntries(STATES.map(({ title, steps }) => [title, { steps, ...look }])),
});

export const MEANING_OF_STATES =
  'Every GPU counts once, by its cause on the dashboard GPU time. Busy: kernels run, or did within five minutes, or it computes, throttled or not. Held idle: it is allocated or its memory is in use, and no kernel runs. Free: neither. Drained: likewise, and its scheduler gives the node no jobs. Down: its driver reports an error that no application causes, or it fell off the bus of a node that still reports. Without data: it reported within six hours and no longer does, or has no metric of its load.';
