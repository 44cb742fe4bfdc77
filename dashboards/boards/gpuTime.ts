import { CAUSES } from '../lib/causes.ts';
import { board } from '../lib/board.ts';
import { GPU_HOURS, neutral, type Look } from '../lib/display.ts';
import { COUNTED_GPUS, gpusOnNodes, overTime } from '../lib/gpuStates.ts';
import {
  anyGpus,
  causeOfGpu,
  everThrottled,
  gpusByCause,
  hoursByPool,
  hoursLost,
  RESOLUTION,
} from '../lib/causePromql.ts';
import { toGpu, toGpusByCause, toNode } from '../lib/links.ts';
import { graph, list, states } from '../lib/panels.ts';
import { compact, ON_NODE, onlyChosen, withNode } from '../lib/promql.ts';
import { CLUSTER, DASH, findings, NOT_COLLECTED } from '../lib/findings.ts';
import { range } from '../lib/queries.ts';
import { clustersOfGpus, shift, forCountsOfGpus, nodesToReadAllOf, resolution } from '../lib/gpuTimeVariables.ts';
import { IN_CONTROLS_MENU, number, node as nodeVariable } from '../lib/variables.ts';

const timeline = graph({
  title: 'GPUs by cause',
  description:
    'Every GPU has exactly one cause at each point, by what was measured in the minutes before it: the page of the documentation has the measurement of each. So they add up to the number of GPUs.',
  interval: RESOLUTION,
  stepsInRange: 240,
  untilLastStep: true,
  height: 11,
  unit: 'locale',
  decimals: 0,
  stacked: true,
  stepped: true,
  legend: 'table',
  queries: [range(gpusByCause(overTime(COUNTED_GPUS)), '{{cause}}')],
  looks: Object.fromEntries(
    CAUSES.map(({ code, title, color }): [number, Look] => [code, { title, color, fill: 70, lineWidth: 0 }])
  ),
});

/** Colors that fill an area well are too light for a text on white. */
const LEGIBLE: Record<string, string> = { yellow: 'dark-yellow', 'super-light-blue': 'text' };

const wordsIn = (colors: Record<string, string>): Look['words'] =>
  Object.fromEntries(CAUSES.map(({ code, title, color }) => [code, { text: title, color: colors[color] ?? color }]));

const ACTIONS: Look['words'] = Object.fromEntries(CAUSES.map(({ code, action }) => [code, { text: action }]));

const HOURS: Look = { ...GPU_HOURS, min: 0, cell: 'gauge', steps: neutral };

const CAUSE: Look = { title: 'Cause', width: 120, cell: 'color-text', words: wordsIn(LEGIBLE) };

const pools = list({
  title: 'GPU-hours by node pool',
  description: 'As in the table beside it, for each node pool and cause.',
  height: 11,
  queries: [hoursByPool(COUNTED_GPUS)],
  columns: {
    nodepool_name: { title: 'Node pool', minWidth: 120 },
    cause: { ...CAUSE, width: 150 },
    Value: HOURS,
  },
  sortBy: 'GPU-hours',
});

const hours = list({
  title: 'GPU-hours by cause',
  description:
    'In the time range, from what each GPU does every minute; on large fleets or over long ranges every few minutes. What it costs is on the dashboard Usage and cost.',
  height: 13,
  sumOf: { panel: pools, by: 'cause' },
  numeric: ['cause'],
  computed: { action: ['cause', '*', '1'] },
  twoLines: true,
  columns: {
    cause: { ...CAUSE, wrap: true },
    'Value (sum)': { ...HOURS, width: 140, total: true },
    action: { title: 'What to do', wrap: true, words: ACTIONS },
  },
  sortBy: 'GPU-hours',
});

const worst = list({
  title: 'Nodes that lose GPU time, broken ones first',
  description: `GPU-hours in the time range that were lost to hardware (throttled, faulted, without data), and below them those lost to use (low activity, held idle, not measured), by cause: the twelve largest of either kind. Drained nodes are not here: somebody knows. A click on a cause leads to the GPUs of the node over time, below, where it is seen since when. What low activity can come from, its processors, disks and ports, is a click on the node away. ${NOT_COLLECTED}`,
  height: 12,
  found: compact(findings(hoursLost(COUNTED_GPUS, 12), 'DCGM_FI_DEV_FB_USED', 'No GPU time is lost')),
  columns: {
    node: { title: 'Node', link: toNode(true), minWidth: 240 },
    cluster_id: CLUSTER,
    broken: { title: 'Lost to', width: 80, words: { 0: { text: 'use' }, 1: { text: 'hardware' } } },
    cause: { ...CAUSE, width: 110, wrap: true, link: toGpusByCause },
    Value: { ...GPU_HOURS, words: DASH, width: 105, cell: 'color-text' },
  },
  sortBy: ['Lost to', 'GPU-hours'],
});

/** Series that are chosen by the label that names a node have it. */
const OF_NODE = overTime({ ...gpusOnNodes(ON_NODE), named: (series) => series });

const ofNode = states({
  title: 'GPUs of the node by cause',
  description:
    'The cause of each GPU of one node: click a cause in the table above for that of its row, or choose one in the menu of controls. A click leads to the GPU.',
  height: 9,
  link: toGpu(),
  words: wordsIn({}),
  queries: [range(compact(withNode(onlyChosen(causeOfGpu(OF_NODE)))), 'GPU {{gpu}}')],
});

export const gpuTime = board({
  uid: 'gpucloud-gpu-time',
  title: 'GPU time',
  question: 'What does GPU time go into?',
  description: 'A cause for every minute of every GPU.',
  refresh: '5m',
  needs: ['GPUs', 'profiling'],
  variables: [
    ...clustersOfGpus(),
    { ...nodeVariable(), label: 'Node of the last panel', ...IN_CONTROLS_MENU },
    ...forCountsOfGpus(),
    shift(),
    resolution(),
    ...nodesToReadAllOf(everThrottled),
    number('has_gpus', anyGpus(COUNTED_GPUS), 'Whether there were GPUs in the time range'),
  ],
  sections: [{ panels: [timeline, [hours, pools], worst] }, { title: 'The node $node', panels: [ofNode] }],
});
