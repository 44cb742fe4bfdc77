import { CAUSES, THRESHOLDS, type Threshold } from '../../src/catalog/gpuTime.ts';
import { board } from '../lib/board.ts';
import { neutral, plain, shareGauge, type Look } from '../lib/display.ts';
import { GPU } from '../lib/families.ts';
import {
  anyGpus,
  causeOfGpu,
  costOfRange,
  gpusByCause,
  hoursLost,
  hoursOfRange,
  losers,
  lostSince,
  RESOLUTION,
  type GpuTime,
} from '../lib/gpuTime.ts';
import { toGpu, toNode } from '../lib/links.ts';
import { graph, list, numbers, states } from '../lib/panels.ts';
import { anywhere, findings, HOST, inCluster, ON_NODE, over, vendor, withNode } from '../lib/promql.ts';
import { DASH, NOT_COLLECTED } from '../lib/findings.ts';
import { instant, range, rows } from '../lib/queries.ts';
import {
  clusters,
  host,
  inControlsMenu,
  nodesWith,
  number,
  resolution,
  node as nodeVariable,
  prefix,
  text,
  throttlingUnit,
} from '../lib/variables.ts';

/** GPUs of the chosen clusters, or of some nodes of these by a matcher, with thresholds that are variables of the dashboard. */
function of(...nodes: string[]): GpuTime {
  return {
    select: (metric) => inCluster(metric, ...nodes),
    by: `cluster_id, ${HOST}, gpu`,
    threshold: (name) => `$${name}`,
    throttledIn: '$throttled_in',
    evidence: { select: (metric, ...more) => anywhere(vendor(metric), ...nodes, ...more), host: HOST },
  };
}

const FLEET = of();

/**
 * Nodes that lose most time, by the ends of their names, because names are part of a query two dozen times and VictoriaMetrics takes
 * 16 KiB: whose name ends likewise is read, too, and all if these ends could not be found. To always read all for each column would
 * cost a large fleet as much as all else.
 */
const IS_LOSER = `${HOST}=~".*$losers"`;
const ofLosers = (metric: string) => inCluster(metric, IS_LOSER);
const hostOfLosers = (metric: string, ...more: string[]) => anywhere(vendor(metric), IS_LOSER, ...more);
const LOSERS = of(IS_LOSER);
const NODE = `cluster_id, ${HOST}`;

const each = (metric: string) => `group by (${NODE}, gpu) (${inCluster(metric)})`;
const SM = each('DCGM_FI_PROF_SM_ACTIVE');
const TENSOR = each('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE');
const UTIL = each('DCGM_FI_DEV_GPU_UTIL');

/** So that the resolution alone gives the step: as many as Prometheus gives of a series. */
const MOST_POINTS = 11_000;

const used = numbers({
  description:
    'By which metrics it is known whether a GPU computes: the activity of its multiprocessors (SM), of its tensor cores, or, without profiling metrics, its utilization and power, which tell less.',
  family: GPU,
  width: 24,
  unit: 'locale',
  queries: [
    instant(`count(${UTIL})`, 'GPUs with samples'),
    instant(`count(${SM}) or 0 * count(${UTIL})`, 'By SM activity'),
    instant(`count(${TENSOR} unless ${SM}) or 0 * count(${UTIL})`, 'By tensor activity only'),
    instant(`count(${UTIL} unless (${SM} or ${TENSOR})) or 0 * count(${UTIL})`, 'By utilization and power'),
  ],
  looks: {
    'By utilization and power': {
      steps: [
        [0, 'blue'],
        [1, 'yellow'],
      ],
    },
  },
});

const overTime = graph({
  title: 'GPUs by cause',
  description:
    'Every GPU has exactly one cause at each point, so they add up to the number of GPUs. The first that applies counts, in the order of the table below. A GPU that had samples within the past hours and has none now counts as “No data”.',
  family: GPU,
  interval: RESOLUTION,
  stepsInRange: 240,
  untilLastStep: true,
  width: 24,
  height: 11,
  unit: 'locale',
  decimals: 0,
  min: 0,
  stacked: true,
  stepped: true,
  legend: 'table',
  queries: [range(gpusByCause(FLEET), '{{cause}}')],
  looks: Object.fromEntries(
    CAUSES.map(({ title, color }): [string, Look] => [title, { color, fill: 70, lineWidth: 0 }])
  ),
});

/** Colors that fill an area well are too light for a text on white. */
const LEGIBLE: Record<string, string> = {
  'super-light-yellow': 'dark-yellow',
  'light-yellow': 'dark-yellow',
  yellow: 'dark-yellow',
  'semi-dark-yellow': 'dark-yellow',
  'super-light-blue': 'text',
};

const wordsBy = (key: 'code' | 'title', colors: Record<string, string> = {}): Look['words'] =>
  Object.fromEntries(
    CAUSES.map((cause) => [String(cause[key]), { text: cause.title, color: colors[cause.color] ?? cause.color }])
  );

const CAUSE: Look = { title: 'Cause', width: 210, cell: 'color-text', words: wordsBy('title', LEGIBLE) };

const hours = list({
  title: 'GPU-hours by cause',
  description:
    'In the time range, from what each GPU does every minute; on large fleets or over long ranges every few minutes. A cost needs the price of a GPU-hour at the top of the dashboard: 0 shows none. “No data” costs as well.',
  family: GPU,
  interval: RESOLUTION,
  stepsInRange: MOST_POINTS,
  width: 24,
  height: 11,
  queries: [range(gpusByCause(FLEET), '{{cause}}'), rows(hoursOfRange()), rows(costOfRange('$price'))],
  reduced: ['mean'],
  required: 'Mean',
  positive: 'Mean',
  computed: { hours: ['Mean', '*', 'Value #B'], cost: ['Mean', '*', 'Value #C'] },
  columns: {
    cause: CAUSE,
    hours: {
      title: 'GPU-hours',
      unit: 'locale',
      decimals: 1,
      min: 0,
      width: 260,
      cell: 'gauge',
      steps: neutral,
      total: true,
    },
    cost: { title: 'Cost', words: { 0: { text: 'no price' } }, unit: 'locale', decimals: 2, width: 120, total: true },
    action: { title: 'What to do', wrap: true },
  },
  sortBy: 'GPU-hours',
});

const byNode = (aggregation: string, expr: string) => withNode(`${aggregation} by (${NODE}) (${expr})`);
const ofNodeOnly = (expr: string) => withNode(`max by (${HOST}) (${expr})`);
const cpu = (...modes: string[]) => `sum by (${HOST}) (rate(${hostOfLosers('vm_cpu_seconds_total', ...modes)}[5m]))`;

/** The share of the range in which power or heat slowed a GPU down. */
const throttledInRange = ['POWER', 'THERMAL']
  .map((cause) => over('rate', ofLosers(`DCGM_FI_DEV_${cause}_VIOLATION`), '$__range'))
  .map((rate, i) => `label_replace(${rate}, "cause", "${i}", "", "")`)
  .join(' or ');

const WORST = 20;

const worst = list({
  title: 'Nodes that lose GPU time',
  description: `GPU-hours in the time range that were neither computing nor free, by node and cause, the twenty with most. “Since” is when it first was so in the range. Beside it is the evidence at the end of the range: averages over the GPUs of the node, and the newest of their XID codes, which DCGM keeps. “Throttled” is the share of the whole range, of the GPU with most. ${NOT_COLLECTED}`,
  family: GPU,
  isExplained: true,
  width: 24,
  height: 12,
  queries: [
    rows(
      findings(
        hoursLost(LOSERS, NODE, WORST),
        inCluster('DCGM_FI_DEV_GPU_UTIL'),
        anywhere('DCGM_FI_DEV_GPU_UTIL'),
        'No node loses GPU time in this range'
      )
    ),
    rows(withNode(lostSince(LOSERS, NODE))),
    rows(byNode('avg', ofLosers('DCGM_FI_DEV_GPU_UTIL'))),
    rows(byNode('avg', ofLosers('DCGM_FI_PROF_SM_ACTIVE'))),
    rows(byNode('avg', ofLosers('DCGM_FI_DEV_POWER_USAGE'))),
    rows(byNode('avg', `1048576 * ${ofLosers('DCGM_FI_DEV_FB_USED')}`)),
    rows(ofNodeOnly(`64 * rate(${hostOfLosers('ib_port_tx_wait')}[15m]) / ${hostOfLosers('ib_port_line_rate')}`)),
    rows(withNode(`${cpu('mode="iowait"')} / ${cpu()}`)),
    rows(byNode('max', `(${throttledInRange}) / $throttled_in`)),
    rows(byNode('max', ofLosers('DCGM_FI_DEV_XID_ERRORS'))),
  ],
  required: 'Value #A',
  columns: {
    node: { title: 'Node', link: toNode(true), minWidth: 120, wrap: true },
    cause: { ...CAUSE, words: wordsBy('code', LEGIBLE), width: 150, wrap: true },
    'Value #A': {
      title: 'GPU-hours',
      words: DASH,
      unit: 'locale',
      decimals: 1,
      width: 110,
      cell: 'color-text',
      steps: plain,
    },
    'Value #B': { title: 'Since', unit: 'dateTimeAsIso', width: 160 },
    'Value #C': { title: 'Utilization', unit: 'percent', decimals: 0, width: 90 },
    'Value #D': { ...shareGauge('SM active'), width: 100 },
    'Value #E': { title: 'Power', unit: 'watt', decimals: 0, width: 70 },
    'Value #F': { title: 'Memory', unit: 'bytes', decimals: 0, width: 80 },
    'Value #G': { title: 'Waits to send', unit: 'percentunit', decimals: 0, width: 105 },
    'Value #H': { title: 'Waits for disks', unit: 'percentunit', decimals: 0, width: 110 },
    'Value #I': { title: 'Throttled', unit: 'percentunit', decimals: 0, width: 90 },
    'Value #J': { title: 'XID', decimals: 0, width: 60 },
  },
  sortBy: 'GPU-hours',
});

const ofNode = states({
  title: 'GPUs of the node by cause',
  description: 'The cause of each GPU of the node that is chosen at the top. A click leads to the GPU.',
  family: GPU,
  width: 24,
  height: 9,
  link: toGpu(),
  words: wordsBy('code'),
  queries: [range(withNode(causeOfGpu(of(ON_NODE))), 'GPU {{gpu}}')],
});

const threshold = (name: Threshold, label: string, description: string) =>
  inControlsMenu(text(name, label, THRESHOLDS[name])).description(description);

const thresholds = [
  threshold('sm_above', 'SM active above (%)', 'Above this share of cycles, a GPU computes'),
  threshold('tensor_above', 'Tensor active above (%)', 'Above this share of cycles, a GPU computes'),
  threshold(
    'watts_above',
    'Power above (W)',
    'Without profiling metrics: up to this, kernels that run are waiting. 0 if power is not to count'
  ),
  threshold('running_above', 'Utilization above (%)', 'Above this share of time, kernels run'),
  threshold('held_above', 'Memory above (MiB)', 'Above this, GPU memory is in use'),
  threshold('throttled_above', 'Throttled above (%)', 'Above this share of time, a GPU is throttled'),
  threshold(
    'sending_above',
    'Waits to send above (%)',
    'Above this share of time of a port, waiting is for the network'
  ),
  threshold('iowait_above', 'Waits for disks above (%)', 'Above this share of processor time, waiting is for storage'),
  threshold('host_above', 'Processors busy above (%)', 'Above this share of processor time, waiting is for the host'),
  threshold('known_for', 'Missing for at most', 'For so long, a GPU without samples counts as “No data”: 1h, 6h, 1d'),
];

const endsOfLosers = () =>
  nodesWith(
    'losers',
    `label_replace(${losers(FLEET, NODE, WORST)}, "end", "$1", "${HOST}", ".*?(.{1,12})")`,
    'Ends of the names of nodes that lose most GPU time in the time range',
    'end'
  );

export const gpuTime = () =>
  board({
    uid: 'gpucloud-gpu-time',
    title: 'GPU time',
    description: 'What GPU time goes into: a cause for every minute of every GPU.',
    variables: [
      prefix(),
      host(),
      clusters(),
      nodeVariable(),
      text('price', 'Price of a GPU-hour', '0').description('0 shows no cost'),
      throttlingUnit(),
      resolution(),
      ...thresholds,
      number('has_gpus', anyGpus(FLEET), 'Whether there were GPUs in the time range'),
      endsOfLosers(),
    ],
    sections: [{ panels: [used, overTime, hours, worst] }, { title: 'One node', panels: [ofNode] }],
  });
