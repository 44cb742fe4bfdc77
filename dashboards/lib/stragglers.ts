// GPUs that are slower than their peers. In synchronous training the peers of a slow GPU wait inside a kernel, so utilization
// is 97 to 100 % on all of them; what differs is the clock. The method and its limits: docs/stragglers.md.
import { gpuOf, type GpuTime } from './causePromql.ts';
import { LOSS, THRESHOLDS } from './causes.ts';
import { CHOSEN_GPUS } from './gpuStates.ts';
import { alsoNamed } from './host.ts';
import {
  ANY_HOST,
  anywhere,
  compact,
  eachName,
  few,
  HOST,
  inCluster,
  inScope,
  lastIn,
  ofFew,
  onlyChosen,
  over,
  slowedFor,
  withLabel,
} from './promql.ts';

/** What slows a GPU down, and what to do about it. */
export interface StragglerCause {
  /** What is seen, as part of a sentence. */
  reason: string;
  /** What to do first, as a sentence. */
  action: string;
}

/**
 * The causes for which a GPU is slower than its peers, by the label `cause` of the queries that find it, in the order in which
 * the first that applies is taken.
 *
 * Reasons for which a clock is lowered: https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html
 */
export const STRAGGLER_CAUSES = {
  heat: {
    reason: 'heat, the GPU slows itself down',
    action:
      'Look at the temperature of its neighbors: if they are cool, report the GPU, else the cooling of the node. Move the job to another node.',
  },
  'power limit': {
    reason: 'its power limit',
    action:
      'Compare its power limit with that of its neighbors (nvidia-smi -q -d POWER), and set it to theirs. Report the GPU if it draws more for the same work.',
  },
  PCIe: {
    reason: 'its PCIe link, over which transfers have to be repeated',
    action:
      'Drain the node and restart it, which trains the link again. Report the GPU if transfers are still repeated.',
  },
  'low clock': {
    reason: 'none is seen in the metrics',
    action:
      'Read the reasons for the clock on the node (nvidia-smi -q -d PERFORMANCE): a locked clock, a power brake, a failing supply. Reset the GPU when its node is free, and report it if the clock stays low.',
  },
} satisfies Record<string, StragglerCause>;

/** Which GPUs are compared, and the labels that identify them. */
export type Fleet = Pick<GpuTime, 'select' | 'node' | 'named'>;

/** Those with the label of most nodes, or the others by theirs: VictoriaMetrics reads few of what it has to rename only if that is apart. */
const apart = (expr: string): string =>
  `(${expr.replaceAll(ANY_HOST, `${HOST}!=""`)} or ${alsoNamed(expr.replaceAll(ANY_HOST, `${HOST}="", ${ANY_HOST}`))})`;

/** The GPUs of the clusters that are picked. A dashboard that looks for slow ones has the variables of `forStragglers`. */
export const fleet: Fleet = { ...CHOSEN_GPUS, select: (metric) => inCluster(metric, ANY_HOST), named: apart };
/** Those on nodes with GPUs that may be slower, of whatever clusters: their names and the chosen clusters are more than VictoriaMetrics takes. */
const suspected: Fleet = {
  ...CHOSEN_GPUS,
  select: (metric) => anywhere(metric, `${HOST}=~"|.*($behind|$rest)"`, ANY_HOST),
};

/**
 * Of every comparison: a mean of so long has a fifth of the noise of a minute, which at the power limit is 2 to 3.5 %, and holds two
 * periods of a GPU that is too hot for some minutes of a dozen.
 */
export const WINDOW = '24m';

/** A GPU that heat slows down is found from this share below the median of its peers on: its counter says that it is slowed down. */
const BEHIND_BY_HEAT = 0.04;

/**
 * Another one is found from this share on. GPUs of one model that share work at the power limit differ by 2 %, so that of a thousand two or
 * three are this far below the median. With 6 %, three times as many healthy ones were named, and as many slow ones.
 */
const SLOWER = 0.07;

/** And if the next slowest is less slow by this much: several at a low clock are a job of their own, or locked to that clock. */
const ALONE = 0.035;

/** A GPU is level with its peers above this share of their median, however slow it is now: half of the way to SLOWER. */
const LEVEL = 0.97;

/** By how many seconds a GPU became slow before its mean is half of the way: somewhat less than half of the window, as fits both ends. */
const SINCE_BEFORE = 600;

/** A node is slow from this share below its pool on, which differ by their work by more than the GPUs of a node. */
const NODE_BEHIND = 0.08;

/**
 * Peers do the same work: a slower clock draws less power than theirs, by as much at least. Outside of these shares of the median a GPU has work of
 * its own, such as prefill beside decode, or reaches less at the same power.
 */
const LEAST_POWER = 0.4;
const MOST_POWER = 0.95;

/**
 * By how much more than {@link SLOWER} it has to be slow for each bit of power outside of these: by 22 % where it is at the power limit and the others
 * are just below. Healthy chips of one model differ by 8 % there, and by 22 % at most: https://arxiv.org/abs/2208.11035
 */
const OF_OTHER_POWER = 2;

/** Kernels run in most of the time, in percent. */
const LOADED = 50;

/** Fewer GPUs under load on a node, or nodes in a pool, have no median that can be trusted. */
const ENOUGH_PEERS = 4;

/** The share of time from which on throttling is a reason. */
const BY_HEAT = 0.05;
const BY_POWER = 0.15;

/** PCIe replays a second from which on a link is bad if its GPU runs fewer kernels: two in the window. A good link has a few a day. */
const REPLAYS = 0.0014;

type Cause = keyof typeof STRAGGLER_CAUSES;

const median = (by: string, expr: string): string => `quantile by (${by}) (0.5, ${expr})`;

/** The median of the GPUs of a node and of one model, and of one job of Slurm where the exporter names it: no other is in step with it. */
const ofPeers = (expr: string): string => `quantile without (gpu) (0.5, ${expr})`;
/** A number of each GPU as a share of the median of its peers, or of some of them. */
const toPeers = (expr: string, some = expr): string => `${expr} / ignoring (gpu) group_left () ${ofPeers(some)}`;

const mean = ({ select }: Fleet, metric: string, at = ''): string => over('avg_over_time', select(metric), WINDOW, at);
const perSecond = ({ select }: Fleet, metric: string): string => over('rate', select(metric), WINDOW);

/** One number a GPU, with the labels of its peers, however many series it has: its exporter may have restarted. */
const each = (fleet: Fleet, expr: string): string =>
  `max by (${gpuOf(fleet)}, modelName, hpc_job) (${fleet.named(expr)})`;

const clock = (fleet: Fleet, at = ''): string => each(fleet, mean(fleet, 'DCGM_FI_DEV_SM_CLOCK', at));
const power = (fleet: Fleet): string => each(fleet, mean(fleet, 'DCGM_FI_DEV_POWER_USAGE'));
const utilization = (fleet: Fleet, at = ''): string => each(fleet, mean(fleet, 'DCGM_FI_DEV_GPU_UTIL', at));

export const replays = (fleet: Fleet): string => each(fleet, perSecond(fleet, 'DCGM_FI_DEV_PCIE_REPLAY_COUNTER'));

/** GPUs on which kernels ran in most of the window. */
const loaded = (fleet: Fleet, at = ''): string => `${utilization(fleet, at)} > ${LOADED}`;

/** Peers of whom enough are under load. */
const comparable = (fleet: Fleet): string => `(count without (gpu) (${loaded(fleet)}) >= ${ENOUGH_PEERS})`;

/**
 * Of its peers that are under load. What is found by it has to be under load, which is looked up once: to read a metric of a large fleet takes as
 * long as all else.
 */
const toLoaded = (fleet: Fleet, expr: string): string => toPeers(expr, `(${expr} and ${loaded(fleet)})`);

/** How far a clock of each GPU is behind. */
const behind = (fleet: Fleet, expr: string): string => `(1 - ${toLoaded(fleet, expr)})`;

/** A median has nothing of checkpoints, and of the time before a GPU began to work. */
const usual = ({ select }: Fleet, metric: string): string =>
  eachName(select(metric), (one) => `quantile_over_time(0.5, ${one}[${WINDOW}])`);
const usualClock = (fleet: Fleet): string => each(fleet, usual(fleet, 'DCGM_FI_DEV_SM_CLOCK'));

/** GPUs whose counter of throttling rises for more than a share of the time. */
const slowedBy = (fleet: Fleet, reason: string, share: number): string =>
  each(fleet, slowedFor(perSecond(fleet, `DCGM_FI_DEV_${reason}_VIOLATION`), share));

/** GPUs that their counter of heat says are slowed down. */
const slowedByHeat = (fleet: Fleet): string => slowedBy(fleet, 'THERMAL', BY_HEAT);

/** GPUs without such a counter whose temperature is that at which they are slowed down. */
const hotWithoutCounter = (fleet: Fleet): string =>
  `(${each(fleet, mean(fleet, 'DCGM_FI_DEV_GPU_TEMP'))} > ${LOSS.celsius} unless ${each(fleet, perSecond(fleet, 'DCGM_FI_DEV_THERMAL_VIOLATION'))})`;

/** From this share on it is the hardware, whatever else the GPU does. */
const HALVED = LOSS.byHardware / 100;

/**
 * The slowest GPU under load of its peers, if it is alone with its clock, and has the power of their work. Series of one GPU have the same labels,
 * so that what is under load is found before it is named, which is shorter.
 */
export function alone(fleet: Fleet): string {
  const ofLoaded = (metric: string) =>
    each(fleet, `(${usual(fleet, metric)} and ${mean(fleet, 'DCGM_FI_DEV_GPU_UTIL')} > ${LOADED})`);
  const share = (metric: string) => toPeers(ofLoaded(metric));
  const slowest = (n: number) => `topk without (gpu) (${n}, 1 - ${share('DCGM_FI_DEV_SM_CLOCK')})`;
  const next = `${ALONE} + min without (gpu) (${slowest(2)})`;
  const [middle, width] = [MOST_POWER + LEAST_POWER, MOST_POWER - LEAST_POWER].map((sum) => (sum / 2).toFixed(3));
  const other = `clamp_min(abs(${share('DCGM_FI_DEV_POWER_USAGE')} - ${middle}) - ${width}, 0)`;
  const least = `(${SLOWER} + ${OF_OTHER_POWER} * ${other} or ${SLOWER} + 0 * ${each(fleet, fleet.select('DCGM_FI_DEV_SM_CLOCK'))})`;
  return `((${slowest(1)} > ${least}) > ignoring (gpu) group_left () (${next}) and ignoring (gpu) ${comparable(fleet)})`;
}

const because = (cause: Cause | 'not seen', expr: string): string => withLabel(`0 * (${expr}) + 1`, 'cause', cause);

/** What was found of GPUs, with the label `cause`: the first that applies. */
export function withCause(fleet: Fleet, found: string): string {
  const own = each(fleet, perSecond(fleet, 'DCGM_FI_DEV_POWER_VIOLATION'));
  const unlikePeers = `ignoring (gpu) group_left () (2 * ${ofPeers(own)})`;
  const causes = [
    because('heat', `${slowedByHeat(fleet)} or ${hotWithoutCounter(fleet)}`),
    because('power limit', `${slowedBy(fleet, 'POWER', BY_POWER)} > ${unlikePeers}`),
    because('low clock', each(fleet, fleet.select('DCGM_FI_DEV_SM_CLOCK'))),
  ].join(' or ignoring (cause) ');
  return `max by (${gpuOf(fleet)}, cause) (${found} * ignoring (cause) group_left (cause) (${causes}))`;
}

/** GPUs at a low clock: how far each is behind the median of its peers, as a share, with the label `cause`. */
function slow(fleet: Fleet): string {
  // Heat lowers the power with the clock: one that draws as much has more to do.
  const hot = `(${hotWithoutCounter(fleet)} unless ${toLoaded(fleet, power(fleet))} >= 1)`;
  const from = `(${BEHIND_BY_HEAT} + 0 * (${slowedByHeat(fleet)}) or ${SLOWER} + 0 * ${hot})`;
  const halved = `${behind(fleet, usualClock(fleet))} > ${HALVED}`;
  const found = `(${behind(fleet, clock(fleet))} > ${from} or ${alone(fleet)} or ${halved})`;
  return withCause(fleet, `(${found} and ${loaded(fleet)} and ignoring (gpu) ${comparable(fleet)})`);
}

/**
 * GPUs that run kernels for less of the time than their peers, as a share of their median: a GPU that waits for its host runs none,
 * one that waits for its peers does. One that has nothing to do at all holds up nobody.
 */
const runsLess = (fleet: Fleet): string =>
  `(${behind(fleet, utilization(fleet))} > ${NODE_BEHIND} < ${1 - THRESHOLDS.running / 100})`;

/** Those that repeat PCIe transfers. The slower the link, the less they are under load. */
export const starved = (fleet: Fleet): string =>
  `max by (${gpuOf(fleet)}) (${runsLess(fleet)} and ${replays(fleet)} > ${REPLAYS} and ignoring (gpu) ${comparable(fleet)})`;

/** GPUs that hold up the others of their node, by whatever cause. */
const stragglers = (fleet: Fleet): string =>
  compact(`(${slow(fleet)} or on (${gpuOf(fleet)}) ${withLabel(starved(fleet), 'cause', 'PCIe')})`);

/**
 * GPUs of which some may be slower than their peers: none other is, because nothing else is found at a smaller distance, or without repeated
 * transfers. It reads a sixth of what finding them does, which compares them with the GPUs of their node alone: no median is above 100 %.
 */
export const maybeSlower = (): string => {
  const all = { ...fleet, select: (metric: string) => inScope(metric, ANY_HOST) };
  const isBehind = `(${behind(all, clock(all))} > ${BEHIND_BY_HEAT} or ${behind(all, usualClock(all))} > ${SLOWER})`;
  const waits = `${utilization(all)} > ${THRESHOLDS.running} < ${100 * (1 - NODE_BEHIND)}`;
  return compact(`(${ofFew(loaded(all), isBehind)} or ${ofFew(waits, `${replays(all)} > ${REPLAYS}`)})`);
};

/** Those of the chosen clusters. */
export const chosenStragglers = (): string => onlyChosen(stragglers(suspected));

/** The labels of what a node is compared with: nodes of one pool with one model of GPU. */
const POOL = 'cluster_id, nodepool_name, modelName';

/** The median of the GPUs of each node, with the labels of its pool. */
function ofNodes(fleet: Fleet, expr: string): string {
  const labels = [...new Set([...fleet.node.split(', '), ...POOL.split(', ')])].join(', ');
  return median(labels, fleet.named(expr));
}

const loadedNodes = (fleet: Fleet): string => `${ofNodes(fleet, mean(fleet, 'DCGM_FI_DEV_GPU_UTIL'))} > ${LOADED}`;

/** Node pools with enough nodes under load to compare. */
const comparablePools = (fleet: Fleet): string => `(count by (${POOL}) (${loadedNodes(fleet)}) >= ${ENOUGH_PEERS})`;

/**
 * How far the clock of nodes is below that of the others of their pool, as a share; half of it is the hardware, which takes no pool to tell. Which nodes
 * heat slows down, by their counters, or where these are missing by their temperature if they draw less than the others, and which a power limit does. Medians over time, because the jobs of nodes begin at different times.
 */
function comparedNodes(fleet: Fleet, of = fleet) {
  const usualOf = (of: Fleet, metric: string) => ofNodes(of, usual(of, metric));
  const ofPool = (metric: string) => median(POOL, `(${usualOf(fleet, metric)} and ${loadedNodes(fleet)})`);
  // Without a node, no pool is read.
  const share = (metric: string, by: string, whole: string) =>
    `${few(usualOf(of, metric), 'cluster_id')} / on (${by}) group_left () ${whole}`;
  const slowedBy = (reason: string, share: number) =>
    slowedFor(ofNodes(of, perSecond(of, `DCGM_FI_DEV_${reason}_VIOLATION`)), share);
  const [CLOCK, POWER] = ['DCGM_FI_DEV_SM_CLOCK', 'DCGM_FI_DEV_POWER_USAGE'];
  const drawsLess = `${share(POWER, POOL, ofPool(POWER))} < ${1 - NODE_BEHIND}`;
  const isHot = `${ofNodes(of, mean(of, 'DCGM_FI_DEV_GPU_TEMP'))} > ${LOSS.celsius} and ${drawsLess}`;
  const hasCounter = ofNodes(of, perSecond(of, 'DCGM_FI_DEV_THERMAL_VIOLATION'));
  const fastest = `quantile by (cluster_id, modelName) (${LOSS.fastest}, ${usual(fleet, CLOCK)} > ${LOSS.idleClock})`;
  return {
    halved: `1 - ${share(CLOCK, 'cluster_id, modelName', fastest)} > ${HALVED}`,
    lower: `1 - ${share(CLOCK, POOL, `(${ofPool(CLOCK)} and ${comparablePools(fleet)})`)} > ${NODE_BEHIND}`,
    byHeat: slowedBy('THERMAL', BY_HEAT),
    isHot: `${isHot} unless ${hasCounter}`,
    byPower: `${slowedBy('POWER', BY_POWER)} and ${drawsLess}`,
  };
}

/** Nodes that hold up others: a low clock alone may be another job, or locked. */
export function slowNodes(fleet: Fleet): string {
  const { halved, lower, byHeat, byPower } = comparedNodes(fleet);
  return `((${halved} or ${lower} and (${byHeat} or ${byPower})) and ${loadedNodes(fleet)})`;
}

/** All nodes at a low clock. */
export function lowClock(fleet: Fleet, of = fleet): string {
  const { halved, lower } = comparedNodes(fleet, of);
  return `((${halved} or ${lower}) and ${loadedNodes(of)})`;
}

/** Likewise, of those with names that end as `lowClock` has found, and with the label `cause`. */
export function nodesAtLowClock(): string {
  const of: Fleet = { ...fleet, select: (metric) => inCluster(metric, `${HOST}=~"|.*$low_clock"`, ANY_HOST) };
  const { byHeat, isHot, byPower } = comparedNodes(fleet, of);
  const causes = [
    because('heat', `${byHeat} or ${isHot}`),
    because('power limit', byPower),
    because('not seen', loadedNodes(of)),
  ];
  return `${lowClock(fleet, of)} * ignoring (cause) group_left (cause) (${causes.join(' or ignoring (cause) ')})`;
}

/**
 * Since when each GPU under load is behind, in milliseconds, or 0 if it never was level with its peers in the range: at a utilization like
 * theirs, and a clock nearer to theirs than it is now. A mean is half of the way after half of its window, however far the way is. The names of nodes are in each selector, so
 * there are few: VictoriaMetrics takes 16 KiB.
 */
export const behindSince = (): string => {
  const ofClock = (at = '') => toPeers(clock(suspected, at), `(${clock(suspected, at)} and ${loaded(suspected, at)})`);
  const atClock = `${ofClock()} > clamp_max((1 + ${ofClock(' @ end()')}) / 2, ${LEVEL})`;
  const runsKernels = `${toPeers(utilization(suspected), loaded(suspected))} > ${1 - NODE_BEHIND}`;
  return `${lastIn(() => `${atClock} and ${runsKernels}`)} - ${1000 * SINCE_BEFORE} or 0 * ${clock(suspected)}`;
};
