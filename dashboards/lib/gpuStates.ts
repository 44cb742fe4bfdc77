// What GPUs are for somebody who looks for trouble: the causes of GPU time in five groups.
import { codeOf, THRESHOLDS, type CauseId } from '../../src/catalog/gpuTime.ts';
import { neutral, type Look, type Steps } from './display.ts';
import type { GpuTime } from './gpuTime.ts';
import { alsoNamed } from './host.ts';
import { anywhere, HOST, inCluster } from './promql.ts';

/** GPUs of the chosen clusters, or of some nodes of these by a matcher. */
export const gpusOf = (...nodes: string[]): GpuTime => ({
  select: (metric, ...more) => inCluster(metric, ...nodes, ...more),
  ofCluster: inCluster,
  host: HOST,
  node: `cluster_id, ${HOST}`,
  named: alsoNamed,
  window: '${window}s',
  recent: '${recent}s',
  threshold: (name) => THRESHOLDS[name],
  throttledIn: '$throttled_in',
});

/** Of nodes by a matcher, whose names take much of a query's length: those of other clusters have to be left out of the result. */
export const gpusAnywhereOf = (nodes: string): GpuTime => ({
  ...gpusOf(),
  select: (metric, ...more) => anywhere(metric, nodes, ...more),
});

const anyIs = (color: string): Steps => [
  [0, 'green'],
  [1, color],
];

const STATES: Array<{ title: string; causes: CauseId[]; steps: Steps }> = [
  { title: 'Busy', causes: ['computing', 'lowActivity', 'throttled'], steps: [[0, 'green']] },
  { title: 'Held idle', causes: ['heldIdle'], steps: neutral },
  { title: 'Free', causes: ['free'], steps: neutral },
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
  const none = STATES.map(({ title }) => `label_replace(vector(0), "state", "${title}", "", "")`).join(' or ');
  return `sum by (state) (${states}) or on (state) ((${none}) and on () count(${inCluster('DCGM_FI_DEV_POWER_USAGE')}) > 0)`;
}

/** How each state is shown, after all of them together. */
export const looksOfStates = (total: string, look: Look = {}): Record<string, Look> => ({
  [total]: { steps: neutral },
  ...Object.fromEntries(STATES.map(({ title, steps }) => [title, { steps, ...look }])),
});

export const MEANING_OF_STATES =
  'Every GPU counts once, by its cause on the dashboard GPU time. Busy: kernels run or it computes, throttled or not. Held idle: it is allocated or its memory is in use, and no kernel runs. Free: neither. Down: its driver reports an error that no application causes, or it fell off the bus of a node that still reports. Without data: it reported within six hours and no longer does, or has no metric of its load.';
