// What GPU time goes into, in PromQL: a number for each GPU that is the code of its one cause. Counts of these numbers add up to
// the number of GPUs at every step, because each GPU has exactly one.
import { CAUSES, codeOf, THRESHOLDS, type CauseId, type Threshold } from '../../src/catalog/gpuTime.ts';
import { anywhere, over } from './promql.ts';

/** Which GPUs, what tells them apart, and where causes begin. */
export interface GpuTime {
  select: (metric: string) => string;
  /** Labels of a GPU. A GPU whose other labels change, because its exporter was restarted, counts once. */
  by: string;
  /** A number or a variable. */
  threshold: (name: Threshold) => string;
  /** What a throttling counter rises by in a second of throttling. */
  throttledIn: string;
  /** Why a node waits; without it, all waiting is for nobody knows what. */
  evidence?: Evidence;
}

/** Metrics of the machines of GPUs, which have the label of a node, but not those of its GPUs. */
interface Evidence {
  select: (metric: string, ...more: string[]) => string;
  /** The label of a node. */
  host: string;
}

/** All GPUs of nodes identified by labels, with the thresholds of the catalog, and throttling counted in nanoseconds. */
export const ofFleet = (node: string): GpuTime => ({
  select: anywhere,
  by: `${node}, gpu`,
  threshold: (name) => THRESHOLDS[name],
  throttledIn: '1e9',
});

/**
 * A sample counts for three minutes, so that one or two missed scrapes are no missing data. Unlike a bare selector this is the same
 * in all engines. The function keeps the names of metrics, so that a selector may match several.
 */
const newest = (selector: string, window = '3m'): string => `last_over_time(${selector}[${window}])`;

/** DCGM keeps the last code for weeks: only a new or another one is news. */
const faulted = ({ select }: GpuTime): string => {
  const xid = select('DCGM_FI_DEV_XID_ERRORS');
  const changed = `(${over('stdvar_over_time', xid, '15m')} > 0 and ${newest(xid)} > 0)`;
  return `${changed} or ${newest(select('DCGM_FI_DEV_ROW_REMAP_FAILURE'))} > 0`;
};

/** Of the time between the newest two samples. */
const throttled = ({ select, threshold, throttledIn }: GpuTime): string =>
  ['POWER', 'THERMAL']
    .map((reason) => `irate(${select(`DCGM_FI_DEV_${reason}_VIOLATION`)}[3m])`)
    .map((rate) => `${rate} > ${threshold('throttled_above')} / 100 * ${throttledIn}`)
    .join(' or ');

/** By the profiling metrics, of which an exporter may have either, both or none. */
const activity = ({ select, threshold }: GpuTime, compare: '>' | '<='): string =>
  [
    `${newest(select('DCGM_FI_PROF_SM_ACTIVE'))} ${compare} ${threshold('sm_above')} / 100`,
    `${newest(select('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE'))} ${compare} ${threshold('tensor_above')} / 100`,
  ].join(' or ');

const utilization = ({ select }: GpuTime): string => newest(select('DCGM_FI_DEV_GPU_UTIL'));
const running = (of: GpuTime): string => `${utilization(of)} > ${of.threshold('running_above')}`;
const holding = ({ select, threshold }: GpuTime): string =>
  `${newest(select('DCGM_FI_DEV_FB_USED'))} > ${threshold('held_above')}`;

/** By low activity, or low power where that is all there is: what computes by its activity has its cause already. */
const inactive = (of: GpuTime): string =>
  `${activity(of, '<=')} or ${newest(of.select('DCGM_FI_DEV_POWER_USAGE'))} <= ${of.threshold('watts_above')}`;

/** 1 for each GPU of which there is a series. */
const each = ({ by }: GpuTime, condition: string): string => `group by (${by}) (${condition})`;

/** GPUs that wait, with what for. */
function waiting(of: GpuTime): string {
  const found = `(${each(of, running(of))} and ${each(of, inactive(of))})`;
  return of.evidence
    ? `${found} * on (${of.evidence.host}) group_left () (${reasons(of, of.evidence)})`
    : `${codeOf('waiting')} * ${found}`;
}

/** NVIDIA's switches from Quantum on count a tick for the time of 8 bytes, for ports of every width. */
const BITS_OF_A_TICK = 64;

/** What the GPUs of each node wait for, if they do: the first for which there is evidence. */
function reasons(of: GpuTime, { select, host }: Evidence): string {
  const { threshold } = of;
  // InfiniBand is collected every 5 minutes, of which the newest two samples tell soonest.
  const ports = (metric: string, fn: 'irate' | 'increase') => `${fn}(${select(`ib_port_${metric}`)}[15m])`;
  const lineRate = newest(select('ib_port_line_rate'), '15m');
  const sending = `${BITS_OF_A_TICK} * ${ports('tx_wait', 'irate')} / ${lineRate} > ${threshold('sending_above')} / 100`;
  // A minute of a GPU has the cause of that minute: an average of five has the reason of the minutes before, too.
  const cpu = (...modes: string[]) => `sum by (${host}) (irate(${select('vm_cpu_seconds_total', ...modes)}[3m]))`;
  const share = (modes: string, name: Threshold) => `${cpu(`mode=~"${modes}"`)} / ${cpu()} > ${threshold(name)} / 100`;
  const found: Array<[CauseId, string]> = [
    ['waitingNetwork', `${sending} or ${ports('link_downed', 'increase')} > 0`],
    ['waitingStorage', share('iowait', 'iowait_above')],
    ['waitingHost', share('user|system|nice|softirq|irq|steal', 'host_above')],
    ['waitingPeers', activity(of, '>')],
    ['waiting', utilization(of)],
  ];
  return found.map(([id, condition]) => `${codeOf(id)} * group by (${host}) (${condition})`).join(' or ');
}

/** The code of the cause of each GPU, with the labels `by`. */
export function causeOfGpu(of: GpuTime): string {
  const is = (id: CauseId, condition: string) => `${codeOf(id)} * ${each(of, condition)}`;
  return [
    is('faulted', faulted(of)),
    is('throttled', throttled(of)),
    is('computing', activity(of, '>')),
    waiting(of),
    is('computing', running(of)),
    is('heldIdle', holding(of)),
    is('free', utilization(of)),
    is('noData', newest(of.select('DCGM_FI_DEV_GPU_UTIL'), of.threshold('known_for'))),
  ].join(' or ');
}

/** How many GPUs each cause has: by its code as the label `cause`, and by the labels given. */
export const countsOf = (codes: string, by = ''): string => `count_values${by && ` by (${by})`} ("cause", ${codes})`;

/** An expression for each cause, distinguished by the label `cause`. */
const ofEachCause = (expr: string): string =>
  `(${CAUSES.map(({ code }) => `label_replace(${expr}, "cause", "${code}", "", "")`).join(' or ')})`;

/** A label with a text for each cause, from the code in the label `cause`. */
const labeled = (expr: string, label: string, text: (cause: (typeof CAUSES)[number]) => string): string =>
  CAUSES.reduce(
    (so, cause) =>
      `label_replace(${so}, ${[label, text(cause), 'cause', `${cause.code}`].map((one) => JSON.stringify(one)).join(', ')})`,
    expr
  );

const titled = (expr: string): string => labeled(expr, 'cause', ({ title }) => title);

/**
 * The number of GPUs by cause, with the title in the label `cause`: 0 where no GPU has it, nothing if there were no GPUs in the range.
 * The mean over the time range is therefore the mean of the range.
 */
export const gpusByCause = (of: GpuTime): string =>
  titled(`${countsOf(causeOfGpu(of))} or ${ofEachCause(ifAny('vector(0)'))}`);

/** The resolution of queries over the time range: the variable of that name. */
export const RESOLUTION = '${resolution}s';

const SUBQUERY = `[$__range:${RESOLUTION}]`;

/**
 * 1 if there were GPUs in the time range, else 0: for the variable `has_gpus`, because to find it at each step would read another metric
 * of each GPU. It looks at the steps only, because a range of weeks has too many samples.
 */
export const anyGpus = (of: GpuTime): string => {
  const known = newest(of.select('DCGM_FI_DEV_GPU_UTIL'), of.threshold('known_for'));
  return `clamp_max(count_over_time(group(${known})${SUBQUERY}), 1) or on () vector(0)`;
};

/** Nothing if there were no GPUs in the time range. */
const ifAny = (expr: string): string => `${expr} and vector(0) < $has_gpus`;

/** Hours of GPUs, from the mean of how many there are. */
const hoursInRange = (counts: string): string =>
  `sum_over_time((${counts})${SUBQUERY}) / scalar(count_over_time(vector(1)${SUBQUERY})) * $__range_s / 3600`;

/** For each cause, what the mean of {@link gpusByCause} is to be multiplied by: the hours of the time range, with what to do as a label. */
export const hoursOfRange = (): string =>
  titled(labeled(ofEachCause(ifAny('vector($__range_s / 3600)')), 'action', ({ action }) => action));

/** The cost of one GPU in the time range, for each cause. */
export const costOfRange = (price: string): string =>
  titled(ofEachCause(ifAny(`vector(${price} * $__range_s / 3600)`)));

/** Causes for which nobody has to do anything. */
const FINE: CauseId[] = ['computing', 'free'];

/** The codes of the GPUs that are lost. */
const lostGpus = (of: GpuTime): string => FINE.reduce((codes, id) => `(${codes}) != ${codeOf(id)}`, causeOfGpu(of));

/** The counts of lost GPUs of each node by cause. */
const lost = (of: GpuTime, node: string): string => countsOf(`(${lostGpus(of)})`, node);

/** GPU-hours in the time range that each node lost to each cause: those with most. */
export const hoursLost = (of: GpuTime, node: string, most: number): string =>
  `topk(${most}, ${hoursInRange(lost(of, node))})`;

/** The nodes that lost most GPU-hours in the time range, whatever they waited for: evidence of that is a quarter to a third of the cost. */
export const losers = ({ evidence: _, ...of }: GpuTime, node: string, most: number): string =>
  `topk(${most}, ${hoursInRange(`count by (${node}) (${lostGpus(of)})`)})`;

/** When a node first lost GPU time to a cause in the time range, in milliseconds. */
export const lostSince = (of: GpuTime, node: string): string =>
  `1000 * min_over_time((time() + 0 * ${lost(of, node)})${SUBQUERY})`;

/** The GPUs that are held idle, as in {@link causeOfGpu}: what no kernel runs on is neither throttled nor computing nor waiting. */
export const heldIdle = (of: GpuTime): string =>
  `${each(of, holding(of))} unless ${each(of, running(of))} unless ${each(of, faulted(of))}`;

/**
 * The share of the GPUs whose memory is in use that wait, by the labels given. It reads half as many series as {@link causeOfGpu}, and
 * counts faulted GPUs by what they do.
 */
export function waitingShare(of: GpuTime, by: string): string {
  const wait = `${each(of, running(of))} and ${each(of, inactive(of))} unless ${each(of, activity(of, '>'))}`;
  const inUse = `count by (${by}) (${each(of, holding(of))})`;
  return `(count by (${by}) (${wait}) or 0 * ${inUse}) / ${inUse}`;
}
