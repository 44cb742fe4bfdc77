// What GPU time goes into, in PromQL: a number for each GPU that is the code of its one cause. Counts of these numbers add up to
// the number of GPUs at every step, because each GPU has exactly one. `or` keeps the first cause that is found.
import { computesAt, SOMETHING } from '../../src/catalog/boards.ts';
import {
  APPLICATION_CODES,
  CAUSES,
  codeOf,
  LOSS,
  THRESHOLDS,
  type CauseId,
  type Threshold,
} from '../../src/catalog/gpuTime.ts';
import { allocated, OWNER, owners } from './allocation.ts';
import { ofBoard } from './gpuPower.ts';
import { HOST_LABEL, named } from './host.ts';
import { anywhere, over } from './promql.ts';

/** Which GPUs, what tells them apart, and where causes begin. */
export interface GpuTime {
  select: (metric: string, ...more: string[]) => string;
  /** Of whole clusters, if some nodes of these are chosen. */
  ofCluster: (metric: string, ...more: string[]) => string;
  /** The label that names a node, and those that identify one. A GPU whose other labels change counts once. */
  host: string;
  node: string;
  /** Gives the series of GPUs the label that names a node, where that is not known before. */
  named: (expr: string) => string;
  /** Two to three samples. The rate of a counter needs two, one scrape may be missed, and a longer window blurs what ends. */
  window: string;
  /** A number or a variable. */
  threshold: (name: Threshold) => string;
  /** What a throttling counter rises by in a second of throttling. */
  throttledIn: string;
}

/** All GPUs, scraped once a minute, with the thresholds of the catalog. Others of the labels of a node may be given. */
export const ofFleet = (...labels: string[]): GpuTime => ({
  select: anywhere,
  ofCluster: anywhere,
  host: HOST_LABEL,
  node: ['cluster_id', ...labels, HOST_LABEL].join(', '),
  named,
  window: '150s',
  threshold: (name) => THRESHOLDS[name],
  throttledIn: '1e9',
});

const UTIL = 'DCGM_FI_DEV_GPU_UTIL';
const ENGINE = 'DCGM_FI_PROF_GR_ENGINE_ACTIVE';
const XID = 'DCGM_FI_DEV_XID_ERRORS';

/** With MIG, which has no utilization: a series an instance. */
const OF_INSTANCE = 'GPU_I_ID!=""';

const gpuOf = ({ node }: GpuTime): string => `${node}, gpu`;

/** 1 for each GPU of which there is a series. */
const each = (of: GpuTime, condition: string): string => `group by (${gpuOf(of)}) (${condition})`;
const most = (of: GpuTime, expr: string): string => `max by (${gpuOf(of)}) (${expr})`;
const mostOfModel = (of: GpuTime, expr: string): string => `max by (${gpuOf(of)}, modelName) (${expr})`;

/** Unlike a bare selector this is the same in all engines, and it keeps the names of metrics, so that a selector may match several. */
const newest = (of: GpuTime, selector: string, window = of.window, offset = ''): string =>
  of.named(`last_over_time(${selector}[${window}]${offset})`);
const inWindow = (of: GpuTime, fn: string, metric: string): string => of.named(over(fn, of.select(metric), of.window));

/** GPUs that the exporter says anything about whether kernels run. */
const measured = (of: GpuTime): string =>
  `${newest(of, of.select(UTIL))} or ${newest(of, of.select(ENGINE, OF_INSTANCE))}`;

/**
 * Profiling metrics are averages of some 30 seconds, utilization is that of a moment. The newest sample is right on average of many
 * minutes; a mean of two or three is above a low threshold if one of them is, so that what ends would count for longer than it lasted.
 */
const running = (of: GpuTime): string =>
  [
    `${newest(of, of.select(UTIL))} > ${of.threshold('running_above')}`,
    `${newest(of, of.select(ENGINE))} > ${of.threshold('running_above')} / 100`,
  ].join(' or ');

/** Of the counter of energy (mJ), which misses nothing: the mean since the sample before, where `rate` extrapolates. */
const watts = (of: GpuTime): string =>
  mostOfModel(
    of,
    `${of.named(`irate(${of.select('DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION')}[${of.window}])`)} / 1000 or ${inWindow(of, 'avg_over_time', 'DCGM_FI_DEV_POWER_USAGE')}`
  );

/** Power as a share of that at which the board computes. */
const effort = (of: GpuTime): string => most(of, ofBoard(watts(of), computesAt));

/** By the activity of multiprocessors, else by power, which tells low activity as well. */
const computing = (of: GpuTime): string => {
  const active = `${newest(of, of.select('DCGM_FI_PROF_SM_ACTIVE'))} > ${of.threshold('sm_above')} / 100`;
  const isLow = `(${effort(of)} > ${SOMETHING} <= bool ${of.threshold('power_above')} / 100)`;
  return `${codeOf('computing')} * ${each(of, active)} or ${codeOf('computing')} + ${codeOf('lowActivity') - codeOf('computing')} * ${isLow}`;
};

const NOT_OF_APPLICATIONS = APPLICATION_CODES.map((code) => `!= ${code}`).join(' ');

/**
 * An XID error that no application causes. DCGM keeps the last code for weeks, so one that the GPU had for all of six hours, or has
 * worked with, is no fault any more. Work within twenty minutes of it is a job that hangs until it is ended.
 */
const faulted = (of: GpuTime): string => {
  const code = (offset = '') => most(of, newest(of, of.select(XID), of.window, offset));
  const worksNow = each(of, `${newest(of, of.select(UTIL))} > ${of.threshold('running_above')}`);
  const workedWith = `last_over_time((${code(' offset 20m')} and ${worksNow})[6h:5m])`;
  const ofHours = `avg by (${gpuOf(of)}) (${of.named(over('avg_over_time', of.select(XID), '6h'))})`;
  return `(${code()} > 0 ${NOT_OF_APPLICATIONS}) unless ${code()} == (${workedWith} or ${ofHours})`;
};

/** Clocks of GPUs, the highest of the window: a sample from before a job began is no loss. */
const clocks = (of: GpuTime, select = of.select): string =>
  mostOfModel(of, of.named(over('max_over_time', select('DCGM_FI_DEV_SM_CLOCK'), of.window)));

/** A clock below the median of some that are not at rest, by the labels given. */
const below = (of: GpuTime, by: string, percent: string, others: string): string =>
  `${clocks(of)} < on (${by}, modelName) group_left () ((1 - ${percent} / 100) * quantile by (${by}, modelName) (0.5, ${others} > ${LOSS.idleClock}))`;

/**
 * A counter of throttling that rises for more than so many percent of the time, whether it counts microseconds or nanoseconds: above a
 * million a second it can only be the latter. So a rate between a million and that share of nanoseconds is too low, which one distance
 * of its logarithm tells without reading the counter again.
 */
const slowedFor = (of: GpuTime, reason: string, percent: number): string => {
  const rate = of.named(`irate(${of.select(`DCGM_FI_DEV_${reason}_VIOLATION`)}[${of.window}])`);
  const [micro, nano] = [6, Math.log10(percent * 1e7)];
  const middle = ((micro + nano) / 2).toFixed(4);
  const reach = ((nano - micro) / 2 - 1e-4).toFixed(4);
  return `abs(log10(${rate} > ${percent} / 100 * ${of.throttledIn}) - ${middle}) > ${reach}`;
};

/** A loss of clock that heat explains, or a lack of power: at its limit, a GPU is as fast as others are there. */
const throttled = (of: GpuTime): string => {
  const slowInNode = below(of, of.node, of.threshold('slower_by'), clocks(of));
  const slowNode = below(of, 'cluster_id', `${LOSS.ofCluster}`, clocks(of, of.ofCluster));
  const hot = `${slowedFor(of, 'THERMAL', LOSS.heat)} or ${newest(of, of.select('DCGM_FI_DEV_GPU_TEMP'))} > ${LOSS.celsius}`;
  const power = mostOfModel(of, inWindow(of, 'max_over_time', 'DCGM_FI_DEV_POWER_USAGE'));
  const belowLimit = `${ofBoard(power, ({ limit }) => limit)} < ${LOSS.ofLimit} / 100`;
  const starved = `${each(of, slowedFor(of, 'POWER', LOSS.power))} and ${each(of, belowLimit)}`;
  return `${each(of, `${slowInNode} or ${slowNode}`)} and (${each(of, hot)} or ${starved})`;
};

const FB_USED = 'DCGM_FI_DEV_FB_USED';

/** No driver reserves more (MiB): where all GPUs of a node are in use for hours, the least is no baseline. */
const MOST_RESERVED = 1500;

/** GPUs whose memory is in use: more than the least of their node in six hours, by a threshold. */
const holding = (of: GpuTime): string => {
  const reserved = `min by (${of.node}) (${of.named(`min_over_time(${of.select(FB_USED)}[6h])`)})`;
  const above = `clamp_max(${reserved}, ${MOST_RESERVED}) + ${of.threshold('held_above')}`;
  return `${most(of, newest(of, of.select(FB_USED)))} > on (${of.node}) group_left () (${above})`;
};

const held = (of: GpuTime): string => `(${each(of, holding(of))} or ${allocated(of)})`;

/** GPUs that had samples in a time, with MIG as well. */
const known = (of: GpuTime, window: string): string => each(of, newest(of, of.select(FB_USED), window));

/** For how long a GPU is missed that fell off the bus of a node that still reports. */
const MISSED_FOR = '1d';

/** The code of the cause of each GPU, with the labels of a node and `gpu`. */
export function causeOfGpu(of: GpuTime): string {
  const is = (id: CauseId, found: string) => `${codeOf(id)} * ${found}`;
  return [
    is('throttled', `(${throttled(of)})`),
    computing(of),
    is('faulted', each(of, faulted(of))),
    is('lowActivity', each(of, running(of))),
    is('heldIdle', `(${held(of)} and ${each(of, measured(of))})`),
    is('free', each(of, measured(of))),
    is('notMeasured', each(of, newest(of, of.select('DCGM_FI_DEV_POWER_USAGE')))),
    is('faulted', `(${known(of, MISSED_FOR)} and on (${of.node}) ${newest(of, of.select(FB_USED))})`),
    is('noData', known(of, of.threshold('known_for'))),
  ].join(' or ');
}

/** GPUs that are held idle, as in {@link causeOfGpu}. */
export const heldIdle = (of: GpuTime): string =>
  `(${held(of)} and ${each(of, measured(of))}) unless ${each(of, running(of))} unless ${effort(of)} > ${SOMETHING} unless (${faulted(of)})`;

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
export const anyGpus = (of: GpuTime): string =>
  `clamp_max(count_over_time(group(${known(of, of.threshold('known_for'))})${SUBQUERY}), 1) or on () vector(0)`;

/** Nothing if there were no GPUs in the time range. */
const ifAny = (expr: string): string => `${expr} and vector(0) < $has_gpus`;

/** Hours of GPUs, from the mean of how many there are. */
const hoursInRange = (counts: string): string =>
  `sum_over_time((${counts})${SUBQUERY}) / scalar(count_over_time(vector(1)${SUBQUERY})) * $__range_s / 3600`;

/** For each cause, what the mean of {@link gpusByCause} is to be multiplied by: the hours of the time range, with what to do as a label. */
export const hoursOfRange = (): string =>
  titled(labeled(ofEachCause(ifAny('vector($__range_s / 3600)')), 'action', ({ action }) => action));

/** GPU-hours in the time range of each cause, by its code as the label `cause`, and by the labels given. */
export const hoursBy = (of: GpuTime, by: string): string => hoursInRange(countsOf(causeOfGpu(of), by));

/** Causes for which nobody has to do anything. */
const FINE: CauseId[] = ['computing', 'free'];

/** The codes of the GPUs that are lost. */
const lostGpus = (of: GpuTime): string => FINE.reduce((codes, id) => `(${codes}) != ${codeOf(id)}`, causeOfGpu(of));

/** The counts of lost GPUs of each node by cause. */
const lost = (of: GpuTime): string => countsOf(`(${lostGpus(of)})`, of.node);

/** GPU-hours in the time range that each node lost to each cause: those with most. */
export const hoursLost = (of: GpuTime, most: number): string => `topk(${most}, ${hoursInRange(lost(of))})`;

/** The nodes that lost most GPU-hours in the time range, to whatever. */
export const losers = (of: GpuTime, most: number): string =>
  `topk(${most}, ${hoursInRange(`count by (${of.node}) (${lostGpus(of)})`)})`;

/** When a node first lost GPU time to a cause in the time range, in milliseconds. */
export const lostSince = (of: GpuTime): string => `1000 * min_over_time((time() + 0 * ${lost(of)})${SUBQUERY})`;

/** GPU-hours in the time range in which allocated GPUs were idle, by whose they are. */
export const hoursAllocatedIdle = (of: GpuTime): string => {
  const idle = `${owners(of)} unless on (${gpuOf(of)}) (${each(of, running(of))} or ${effort(of)} > ${SOMETHING})`;
  return hoursInRange(`count by (cluster_id, ${OWNER.join(', ')}) (${idle})`);
};

/** GPU-hours in the time range that were allocated, by whose they are: those with most. */
export const hoursAllocated = (of: GpuTime, most: number): string =>
  `topk(${most}, ${hoursInRange(`count by (cluster_id, ${OWNER.join(', ')}) (${owners(of)})`)})`;
