// GPUs that are slower than their peers. In synchronous training the peers of a slow GPU wait inside a kernel, so utilization
// is 97 to 100 % on all of them; what differs is the clock. The method and its limits: docs/stragglers.md.
import type { STRAGGLER_CAUSES } from '../../src/catalog/stragglers.ts';
import { eachName, HOST, inCluster, over, sentenceRow } from './promql.ts';

type Select = (metric: string) => string;

/** Which GPUs are compared, and the labels that identify them. */
export interface Fleet {
  select: Select;
  /** The labels that identify a node. */
  node: string;
  /** What the counters of throttling count in a second: DCGM counts nanoseconds. */
  unit: string;
}

/** All GPUs, for alert rules. */
export const fleetOf = (select: Select, node: string, unit = '1e9'): Fleet => ({ select, node, unit });

/** The GPUs of the clusters that are picked, and of those the ones on nodes that match. */
export const fleet: Fleet = fleetOf(inCluster, `cluster_id, ${HOST}`, '$throttled_in');
export const fleetOn = (nodes: string): Fleet => ({
  ...fleet,
  select: (metric) => inCluster(metric, `${HOST}=~"${nodes}"`),
});

/** Of every comparison. A sample comes every minute: a shorter window has too few for a median. */
const WINDOW = '10m';

/** A GPU is slow from this share below the median of its peers on. */
const BEHIND = 0.08;

/** A median absolute deviation is this share of the standard deviation of a normal distribution. */
const TO_SIGMA = 1.4826;

/** And from this many standard deviations on. */
const SIGMAS = 4;

/** The smallest standard deviation that is assumed, as a share of the median: that of the clock in ten minutes is less. */
const SIGMA_FLOOR = 0.015;

/** A GPU at a low clock that draws this much more than its peers does more work than they do: it holds up nobody. */
const MORE_WORK = 1.15;

/** Fewer GPUs under load on a node, or nodes in a pool, have no median that can be trusted. */
const PEERS = 4;

/** The share of time from which on throttling is a reason. A GPU whose clock is low for another one does not reach its power limit. */
const BY_HEAT = 0.05;
const BY_POWER = 0.15;

/** PCIe replays a second from which on a link is bad. A good link has a few a day. */
const REPLAYS = 0.02;

type Cause = keyof typeof STRAGGLER_CAUSES;

const gpuOf = (node: string): string => `${node}, gpu`;
const median = (by: string, expr: string): string => `quantile by (${by}) (0.5, ${expr})`;
const mean = ({ select }: Fleet, metric: string): string => over('avg_over_time', select(metric), WINDOW);
const perSecond = ({ select }: Fleet, metric: string): string => over('rate', select(metric), WINDOW);

/** A quantile of a window is the same with a few samples of a checkpoint or of a phase that loads data. */
const typical = ({ select }: Fleet, metric: string, quantile = 0.5): string =>
  eachName(select(metric), (one) => `quantile_over_time(${quantile}, ${one}[${WINDOW}])`);

export const clock = (fleet: Fleet): string => typical(fleet, 'DCGM_FI_DEV_SM_CLOCK');
export const power = (fleet: Fleet): string => mean(fleet, 'DCGM_FI_DEV_POWER_USAGE');
export const tensor = (fleet: Fleet): string => mean(fleet, 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE');
export const heat = (fleet: Fleet): string => `${perSecond(fleet, 'DCGM_FI_DEV_THERMAL_VIOLATION')} / ${fleet.unit}`;
export const powerLimit = (fleet: Fleet): string =>
  `${perSecond(fleet, 'DCGM_FI_DEV_POWER_VIOLATION')} / ${fleet.unit}`;
export const replays = (fleet: Fleet): string => perSecond(fleet, 'DCGM_FI_DEV_PCIE_REPLAY_COUNTER');

/** GPUs on which kernels ran in most samples of the window. */
export const loaded = (fleet: Fleet): string => `${typical(fleet, 'DCGM_FI_DEV_GPU_UTIL', 0.3)} > 50`;

const idle = (fleet: Fleet): string => `${typical(fleet, 'DCGM_FI_DEV_GPU_UTIL', 0.3)} <= 50`;

/** Nodes with enough GPUs under load. */
export const comparable = (fleet: Fleet): string => `count by (${fleet.node}) (${loaded(fleet)}) >= ${PEERS}`;

/** A number of each GPU as a share of the median of its node. */
export const toPeers = ({ node }: Fleet, expr: string): string =>
  `${expr} / on (${node}) group_left () ${median(node, expr)}`;

/**
 * The median absolute deviation of what is above the median, as a share of it: the upper quartile, without the median. Slow GPUs
 * do not widen it, and it needs no number for each GPU.
 */
const upperDeviation = (by: string, expr: string): string =>
  `(quantile by (${by}) (0.75, ${expr}) / ${median(by, expr)} - 1)`;

/** Those of some that are below the median of all by more than these differ among themselves, as a share of the median. */
function below(by: string, some: string, all: string): string {
  const limit = `1 - clamp_min(${SIGMAS * TO_SIGMA} * ${upperDeviation(by, all)}, ${BEHIND})`;
  return `${some} / on (${by}) group_left () ${median(by, all)} < on (${by}) group_left () (${limit})`;
}

/** The lowest clocks of each node. More would be half of the eight GPUs that most nodes have, and the median one of them. */
const lowest = (fleet: Fleet): string => `bottomk by (${fleet.node}) (3, ${clock(fleet)})`;

/**
 * GPUs under load whose clock is below that of their peers, as a share of the median of the node. Idle GPUs count as peers only
 * until they are half of a node; then they differ so much from the others that nothing is below.
 */
function slowClocks(fleet: Fleet): string {
  const { node } = fleet;
  const gpu = gpuOf(node);
  const working = `${power(fleet)} > on (${node}) group_left () (${MORE_WORK} * ${median(node, power(fleet))})`;
  const slow = `max by (${gpu}) (${below(node, lowest(fleet), clock(fleet))})`;
  return `(${slow} and on (${node}) ${comparable(fleet)} unless on (${gpu}) ${idle(fleet)} unless on (${gpu}) ${working})`;
}

/**
 * GPUs that repeat PCIe transfers and run kernels for less of the time than their peers, as a share of the median of the node: a
 * GPU that waits for its host runs none, one that waits for its peers does.
 */
function starved(fleet: Fleet): string {
  const { node } = fleet;
  const gpu = gpuOf(node);
  const utilization = mean(fleet, 'DCGM_FI_DEV_GPU_UTIL');
  const failing = `max by (${gpu}) (${utilization} and on (${gpu}) ${replays(fleet)} > ${REPLAYS})`;
  const idler = `${failing} / on (${node}) group_left () ${median(node, utilization)} < ${1 - BEHIND}`;
  return `(${idler} and on (${node}) ${comparable(fleet)})`;
}

/** Why the GPUs with the lowest clocks can be slow, as the label `cause`: the first that applies. */
function causes(fleet: Fleet): string {
  const gpu = gpuOf(fleet.node);
  const because = (cause: Cause, expr: string) =>
    `label_replace(group by (${gpu}) (${expr}), "cause", "${cause}", "", "")`;
  return [
    because('heat', `${heat(fleet)} > ${BY_HEAT}`),
    because('power limit', `${powerLimit(fleet)} > ${BY_POWER}`),
    because('low clock', lowest(fleet)),
  ].join(` or on (${gpu}) `);
}

/**
 * GPUs at a low clock: how far each is behind the median of its node, as a share, with the label `cause`. One multiplication
 * with the causes: a filter for each cause would find the slow GPUs as many times.
 */
export const slow = (fleet: Fleet): string =>
  `(1 - ${slowClocks(fleet)}) * on (${gpuOf(fleet.node)}) group_left (cause) (${causes(fleet)})`;

/** GPUs that wait for their host, as `slow` has them. */
export const waiting = (fleet: Fleet): string => `label_replace(1 - ${starved(fleet)}, "cause", "PCIe", "", "")`;

/** GPUs that hold up the others of their node, by whatever cause. */
export const stragglers = (fleet: Fleet): string => `(${slow(fleet)} or on (${gpuOf(fleet.node)}) ${waiting(fleet)})`;

/** How many standard deviations the clock of each GPU is below the median of its node. */
export function sigmas(fleet: Fleet): string {
  const { node } = fleet;
  const sigma = `clamp_min(${TO_SIGMA} * ${upperDeviation(node, clock(fleet))}, ${SIGMA_FLOOR})`;
  return `(1 - ${toPeers(fleet, clock(fleet))}) / on (${node}) group_left () ${sigma}`;
}

/** The labels of a node and of what it is compared with: nodes of one pool with one model of GPU. */
const POOL = 'cluster_id, nodepool_name, modelName';

/** Nodes under load. */
const busyNodes = (fleet: Fleet, each: string): string =>
  `${median(each, typical(fleet, 'DCGM_FI_DEV_GPU_UTIL', 0.3))} > 50`;

const labelsOfNode = (node: string): string => [...new Set([...node.split(', '), ...POOL.split(', ')])].join(', ');

/** The number of nodes under load of each pool that has enough of them to compare. */
const comparablePools = (fleet: Fleet): string =>
  `count by (${POOL}) (${busyNodes(fleet, labelsOfNode(fleet.node))}) >= ${PEERS}`;

/**
 * Nodes whose GPUs are slower than those of the other nodes of their pool: how far behind the median, as a share. GPU metrics
 * name no job: that the nodes of a pool share one is concluded from their power.
 */
export function slowNodes(fleet: Fleet): string {
  const each = labelsOfNode(fleet.node);
  const ofNode = (expr: string) => median(each, expr);
  const shares = (expr: string) => `${ofNode(expr)} / on (${POOL}) group_left () ${median(POOL, ofNode(expr))}`;
  const slow = below(POOL, ofNode(clock(fleet)), ofNode(clock(fleet)));
  return `1 - (${slow} and on (${each}) ${busyNodes(fleet, each)} and on (${POOL}) ${comparablePools(fleet)} and on (${each}) ${shares(power(fleet))} < ${MORE_WORK})`;
}

/** GPUs that are behind in clock or, when their host keeps them waiting, in utilization: the condition of one step of a subquery. */
function behind(fleet: Fleet): string {
  const gpu = `max by (${gpuOf(fleet.node)})`;
  const shares = [clock(fleet), mean(fleet, 'DCGM_FI_DEV_GPU_UTIL')];
  return shares.map((expr) => `${gpu} (${toPeers(fleet, expr)} < ${1 - BEHIND})`).join(' or ');
}

const loadedGpus = (fleet: Fleet): string => `max by (${gpuOf(fleet.node)}) (${loaded(fleet)})`;

/** The share of the last hour under load in which each GPU was behind. */
export const heldFor = (fleet: Fleet): string =>
  `count_over_time((${loadedGpus(fleet)} and on (${gpuOf(fleet.node)}) (${behind(fleet)}))[1h:2m]) / count_over_time((${loadedGpus(fleet)})[1h:2m])`;

/**
 * When each GPU under load was last level with its peers, in milliseconds, or 0 if it never was in the range: since then it is
 * behind. Phases without load don't count.
 */
export const levelUntil = (fleet: Fleet): string =>
  `1000 * max_over_time((time() + 0 * (${loadedGpus(fleet)} unless on (${gpuOf(fleet.node)}) (${behind(fleet)})))[$__range:$__interval]) or 0 * ${loadedGpus(fleet)}`;

/** What was found; else, where GPUs are under load, that too few are for a comparison, or that all is well. */
const orWhyNone = (fleet: Fleet, found: string, compared: string, tooFew: string, none: string): string => {
  const anyLoad = `count(${loaded(fleet)})`;
  const rows = [
    `topk(20, ${found})`,
    sentenceRow(`(${anyLoad} unless count(${compared}))`, `Too few peers: ${tooFew}`),
    sentenceRow(anyLoad, `All is well: ${none}`),
  ];
  return `(${rows.join(' or on () ')})`;
};

/** The slow GPUs, most behind first, or why there is none. Nothing where no GPU is under load. */
export const slowestGpus = (fleet: Fleet): string =>
  orWhyNone(
    fleet,
    stragglers(fleet),
    comparable(fleet),
    `no node has ${PEERS} GPUs under load`,
    'no GPU under load is slower than its peers'
  );

/** The slow nodes likewise. */
export const slowestNodes = (fleet: Fleet): string =>
  orWhyNone(
    fleet,
    slowNodes(fleet),
    comparablePools(fleet),
    `no node pool has ${PEERS} nodes under load`,
    'no node under load is slower than its node pool'
  );

/** The sentence of both where no GPU is under load. */
export const NONE_LOADED = 'Nothing to compare: no GPU is under load';
