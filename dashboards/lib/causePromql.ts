// What GPU time goes into, in PromQL: a number for each GPU that is the code of its one cause. Counts of these numbers add up to
// the number of GPUs at every step, because each GPU has exactly one. `or` keeps the first cause that is found.
import { ofHardware } from './xid.ts';
import { HALF_WAY, ofBoard, SOMETHING } from './gpuBoards.ts';
import { CAUSES, codeOf, LOSS, THRESHOLDS, type CauseId } from './causes.ts';
import { allocated, type Allocation, EVERY_GPU, FIRST_GPU, ofScheduler, owners, TEAM, TWO_GPUS } from './allocation.ts';
import { HOST_LABEL, HOST_LABELS, named, NODE_LABELS } from './host.ts';
import { ALSO_HOST, anywhere, compact, copied, labeledNumber, ofFew, over, slowedFor, withLabel } from './promql.ts';

/** Which GPUs, what tells them apart, and where causes begin. */
export interface GpuTime extends Allocation {
  /** Those of all GPUs that are read that are to be counted. */
  chosen?: (codes: string) => string;
  /** What says the same as another metric where GPUs lack that, if it is known whether any does. Without it, `select`. */
  lacking?: (metric: Lacked) => GpuTime['select'];
  /** GPUs that may be faulted or throttled, in whatever cluster, if these are known. */
  suspected?: GpuTime['select'];
  /** What isn't distinguished: throttled GPUs from those that compute or have low activity, idle or drained ones with samples from those that are free. */
  without?: 'throttled' | 'idle' | 'drained';
  /** Those of what is recorded under a name that matchers choose, if that of all chosen clusters is. */
  recorded?: GpuTime['select'];
}

/** What `dashboards/recording.ts` records: the number of GPUs of each node by the code of their cause. */
export const RECORD = 'gpucloud:gpus:by_cause';

/** All GPUs that are scraped once a minute. */
export const FLEET: GpuTime = {
  select: anywhere,
  ofCluster: anywhere,
  ofSchedulers: anywhere,
  within: 'cluster_id, ',
  labels: EVERY_GPU,
  hosts: HOST_LABELS,
  node: NODE_LABELS,
  named: (gpus) => named(gpus),
  window: '150s',
  recent: '75s',
  reported: '75s',
  offset: '',
};

export const UTIL = 'DCGM_FI_DEV_GPU_UTIL';
export const ENGINE = 'DCGM_FI_PROF_GR_ENGINE_ACTIVE';
const ENERGY = 'DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION';
const XID = 'DCGM_FI_DEV_XID_ERRORS';

const TRAFFIC = 'DCGM_FI_PROF_DRAM_ACTIVE';

/** What says all of a GPU: whether kernels run, what they do, and what it draws. */
export const COMPLETE = { util: UTIL, engine: ENGINE, traffic: TRAFFIC, energy: ENERGY };

/** Percent of the time in which video is decoded or encoded. */
const VIDEO = 'DCGM_FI_DEV_DEC_UTIL|DCGM_FI_DEV_ENC_UTIL';

/** What GPUs may lack: a metric, that a minute has one sample at most, or that as long as they are there the newest sample is of the last minutes. */
export type Lacked = keyof typeof COMPLETE | 'minute' | 'steady';

const POWER = 'DCGM_FI_DEV_POWER_USAGE';
const FB_USED = 'DCGM_FI_DEV_FB_USED';

/** With MIG, which has no utilization: a series an instance. */
export const OF_INSTANCE = 'GPU_I_ID!=""';

/** The labels of a GPU. */
export const gpuOf = ({ node }: Pick<GpuTime, 'node'>): string => `${node}, gpu`;

/** 1 for each GPU of which there is a series. */
const each = (of: GpuTime, series: string): string => `group by (${gpuOf(of)}) (${of.named(series)})`;
const most = (of: GpuTime, series: string): string => `max by (${gpuOf(of)}) (${of.named(series)})`;
const mostOfModel = (of: GpuTime, series: string): string => `max by (${gpuOf(of)}, modelName) (${of.named(series)})`;

/** Unlike a bare selector this is the same in all engines, and it keeps the names of metrics, so that a selector may match several. */
const last = (selector: string, window: string, offset = ''): string =>
  `last_over_time(${selector}[${window}]${offset})`;

/** The same of what a GPU does, which over time is that of the nearest sample. */
const nearest = (of: GpuTime, selector: string, window = of.recent): string => last(selector, window, of.offset);

/**
 * The newest of all series of a GPU: when a job ends, the labels of its pod go, and the last sample with them would count for the whole window beside
 * those without. Where neither these labels are there nor scrapes are rare, it does not matter.
 */
const newest = (of: GpuTime, metric: string, by = most): string =>
  `(${by(of, nearest(of, lacking(of, 'steady').select(metric)))} or ${by(of, nearest(of, of.select(metric), of.window))})`;

/** The same GPUs by what is read where some lack a metric. */
const lacking = (of: GpuTime, metric: Lacked): GpuTime => ({
  ...of,
  select: of.lacking?.(metric) ?? of.select,
});

/** Of those that may be faulted or throttled, all that is read. */
const suspected = (of: GpuTime): GpuTime => (of.suspected ? { ...of, select: of.suspected, lacking: undefined } : of);

/** A series of each GPU, with MIG and without memory as well. */
const anyOf = (of: GpuTime, ...matchers: string[]): string => of.select(of.labels, ...matchers);

/** What stands for all GPUs of a node whose exporter does not say which is which. */
const withoutIndex = (of: GpuTime): string => each(of, last(anyOf(of, 'gpu=""'), of.window));

/** GPUs that had samples in a time. */
const sampled = (of: GpuTime, window: string, offset = ''): string => each(of, last(anyOf(of), window, offset));

/** GPUs that the exporter says anything about whether kernels run. */
const measured = (of: GpuTime): string =>
  each(of, `${last(of.select(UTIL), of.window)} or ${last(of.select(ENGINE, OF_INSTANCE), of.window)}`);

/** GPUs that it says nothing about. */
const unmeasured = (of: GpuTime): string => `(${sampled(of, of.window)} unless ${measured(of)})`;

/**
 * For how long a job that works may wait, for data, for others or for a checkpoint, without being idle: five minutes. A little less, because
 * engines differ in whether the sample at the beginning of a window counts.
 */
const PAUSE = '295s';

/**
 * The share of time in which kernels run: a profiling metric is an average of some 30 seconds, utilization that of a moment, which may be more for
 * some. The newest sample is right on average of many minutes; a mean of two or three is above a low threshold if one of them is, so that what ends
 * would count for longer than it lasted.
 */
const busy = (of: GpuTime): string =>
  `${nearest(of, of.select(ENGINE))} or ${nearest(of, lacking(of, 'engine').select(UTIL))} / 100`;

/** GPUs that run kernels. */
const running = (of: GpuTime): string => each(of, `(${busy(of)}) > ${THRESHOLDS.running / 100}`);

/**
 * Of the counter of energy (mJ), which misses nothing: the mean of a minute where that has several samples, because an exporter that is
 * scraped every 15 seconds may have collected twice a minute, and the newest two of its samples differ by nothing or by too much. Else the
 * mean since the sample before, because over three samples what ended would count for longer than it lasted: to VictoriaMetrics a rate begins with
 * the sample before its window, so this has to be shorter than a minute, and over a range it is 0 where a scrape was missed. A counter that stands
 * still does not count, nor one that was 0 for a sample, after which it seems to have risen by all that it ever counted: more than 10 kW.
 */
const watts = (of: GpuTime): string => {
  const often = `rate(${lacking(of, 'minute').select(ENERGY)}[58s]${of.offset}) > 0`;
  const at = (window: string) => nearest(of, lacking(of, 'steady').select(ENERGY), window);
  const ended = `(${at(of.window)} unless ${at(of.recent)})`;
  const mean = `(${often} or irate(${of.select(ENERGY)}[${of.window}]${of.offset})) > 0 < 1e7 unless ${ended}`;
  return `(${mostOfModel(of, `(${mean})`)} / 1000 or ${newest(lacking(of, 'energy'), POWER, mostOfModel)})`;
};

/** Power as a share of that at which the board computes. */
const effort = (of: GpuTime): string =>
  `max by (${gpuOf(of)}) (${ofBoard(watts(of), (matcher) => last(of.ofCluster(POWER, matcher), of.window))})`;

/** No driver reserves more (MiB): where all GPUs of a node are in use for hours, the least is no baseline. */
export const MOST_RESERVED = 1500;

/**
 * {@link busy} of a minute, as far as it is known: without profiling metrics at least 1 where a process has memory, or that is not known either,
 * because kernels may have run before the moment. Where they read and write next to no memory they count for a tenth of the time: a collective
 * that spins runs for all of it.
 */
const kernels = (of: GpuTime): string => {
  const { select } = lacking(of, 'engine');
  const hasTraffic = `${nearest(of, of.select(TRAFFIC))} >= bool ${THRESHOLDS.traffic / 100}`;
  const hasProcess = `${nearest(of, select(FB_USED))} >= bool ${MOST_RESERVED}`;
  const atWork = `(0.1 + 0.9 * (${hasTraffic})) * ${nearest(of, of.select(ENGINE))}`;
  return most(
    of,
    `(${atWork} or ${busy(lacking(of, 'traffic'))} + (${hasProcess}) or 1 + ${last(select(UTIL), of.window)})`
  );
};

/** {@link effort} of GPUs that do something by their power, which is a mean since the sample before, in which what has ended would count on. */
const drawing = (of: GpuTime): string =>
  `(${effort(of)} > ${SOMETHING} unless ${kernels(of)} <= ${THRESHOLDS.running / 100})`;

/**
 * By the activity of multiprocessors, or kernels that run for most of the time and use the memory; else by power, which tells low activity as well:
 * all of that of a board that computes, or where kernels run for less than half of the time or only wait, what that can't draw. An instance with MIG draws
 * too little to tell, and has no collectives that spin: it computes if its kernels run for most of the time.
 */
const computing = (of: GpuTime): string => {
  const ofInstance = `${nearest(of, of.select(ENGINE, OF_INSTANCE))} * ${THRESHOLDS.active / THRESHOLDS.mostly}`;
  const { select } = lacking(of, 'traffic');
  const withTraffic = `${nearest(of, select(UTIL))} * ${THRESHOLDS.active / THRESHOLDS.mostly / 100} and ${nearest(of, select('DCGM_FI_DEV_MEM_COPY_UTIL'))} >= ${THRESHOLDS.copying}`;
  const ofAll = of.select('DCGM_FI_PROF_SM_ACTIVE');
  const multiprocessors = `${most(of, nearest(of, ofAll))} or ${most(of, `(${nearest(of, ofAll, of.window)} or ${ofInstance} or ${withTraffic})`)}`;
  const active = `group by (${gpuOf(of)}) ((${multiprocessors}) > ${THRESHOLDS.active / 100})`;
  // By arithmetic, because `bool` is 0 in VictoriaMetrics where a side has no value.
  const some = `(${kernels(of)} > ${THRESHOLDS.running / 100})`;
  const seldom = `clamp_min(1 - floor(${some} / ${THRESHOLDS.mostly / 100}), 0)`;
  const enough = `(1 + ${Math.round(10 * (HALF_WAY - 1)) / 10} * ${seldom})`;
  const isHigh = `clamp_max(floor((${effort(of)} > ${SOMETHING}) / ${enough}), 1)`;
  const [high, low] = [codeOf('computing'), codeOf('lowActivity')];
  return `${high} * ${active} or ${low} + ${high - low} * ${isHigh}`;
};

/** GPUs whose decoders or encoders work: what reads videos runs hardly a kernel. */
const ofVideo = (of: GpuTime): string => each(of, `${nearest(of, of.select(VIDEO))} > ${THRESHOLDS.active}`);

/**
 * GPUs on which kernels ran at the newest sample of a window. A GPU that hangs may report a utilization of 100 %, which a metric of kernels does
 * not.
 */
const ran = (of: GpuTime, window: string): string =>
  each(of, `(100 * ${last(of.select(ENGINE), window)} or ${last(of.select(UTIL), window)}) > ${THRESHOLDS.running}`);

/** A time that has several samples at any pace of scrapes, and for which a job hangs after an error until it is ended. */
const HANGS_FOR = '15m';

/**
 * An XID error that no application causes. DCGM keeps the last code for weeks: what counts is that it changed, or appeared on a GPU that
 * had samples without one, and that no kernel ran after that, in the last six hours. Other codes may follow, of the job that it ends.
 * Where the code is 0 again the GPU was reset.
 */
const faulted = (all: GpuTime): string => {
  const of = suspected(all);
  const codes = (offset = '') => most(of, over('max_over_time', of.select(XID), HANGS_FOR, offset));
  const before = ` offset ${HANGS_FOR}`;
  // To VictoriaMetrics any code is unequal to that of a time without samples, and nothing is the distance from it.
  const distance = `${ofHardware(codes())} - (${codes(before)} or 0 * ${sampled(of, HANGS_FOR, before)})`;
  const changed = `abs(${distance}) > 0`;
  const newestOf = `last_over_time((1 + 0 * (${changed}) or 0 * ${ran(of, of.window)})[6h:4m])`;
  return `(${most(of, last(of.select(XID), of.window))} > 0 and ${newestOf} > 0)`;
};

/** How long ago a code may have changed on which {@link faulted} depends, with what its windows look back. */
const CHANGED_WITHIN = '7h';

/** GPUs that may be faulted in the time range: with a code that is not the one, all the time, that it has had since some hours before. */
export const suspectedFaults = (of: GpuTime): string => {
  const extreme = (fn: 'max' | 'min', window: string, offset = '') =>
    `${fn} by (${gpuOf(of)}, ${ALSO_HOST}) (${over(`${fn}_over_time`, of.select(XID), window, offset)})`;
  const before = [CHANGED_WITHIN, ' offset $__range'] as const;
  const highest = extreme('max', '$__range');
  const same = [extreme('min', '$__range'), extreme('max', ...before), extreme('min', ...before)].join(' == ');
  return of.named(ofFew(`${highest} > 0 unless ${highest} == ${same}`, `${highest} > 0`));
};

/** Clocks of the same scrape as what says that kernels run: one from before a job began is no loss. */
const clocks = (of: GpuTime, select = of.select): string => nearest(of, select('DCGM_FI_DEV_SM_CLOCK'));

/** What a counter of throttling rises by in a second. */
const slowedFrom = (of: GpuTime, reason: string): string =>
  `rate(${of.select(`DCGM_FI_DEV_${reason}_VIOLATION`)}[${of.window}])`;

/** GPUs whose counter of throttling rises for more than so many percent of the time. */
const slowedBy = (of: GpuTime, reason: string, percent: number): string =>
  slowedFor(slowedFrom(of, reason), percent / 100);

/** How long ago a GPU may have been hot that heat slows down now: at a lower clock it cools. */
const HOT_WITHIN = '15m';

/** GPUs that may be slowed down by heat, by their temperature. With a counter it says nothing: after so long another reason may be as likely. */
const hot = (of: GpuTime): string =>
  `${over('max_over_time', of.select('DCGM_FI_DEV_GPU_TEMP'), HOT_WITHIN)} > ${LOSS.celsius} unless ${slowedFrom(of, 'THERMAL')}`;

/**
 * The highest power of a GPU of a model in the cluster, in hours: now the others may have little to do. Steps that an hour is no multiple of
 * see what jobs do at regular times.
 */
const highestPower = ({ ofCluster, window }: GpuTime): string =>
  `max_over_time((max by (cluster_id, modelName) (${last(ofCluster(POWER), window)}))[6h:7m])`;

/**
 * What is compared with its cluster, and something of none: VictoriaMetrics 1.79 reads of the right side only what labels of the left side may match,
 * but all of it where nothing is suspected.
 */
const orNothing = (of: GpuTime, gpus: string): string =>
  of.suspected ? `(${gpus} or absent(n{cluster_id=";",modelName=";"}))` : gpus;

/** More than any share of the highest power. */
const ANY_POWER = 2;

/**
 * GPUs whose loss of clock heat explains, or a lack of power: they draw less than what any of the model draws that is at its limit, however hot.
 * The value is the share that they may draw.
 */
const explained = (of: GpuTime): string => {
  const power = mostOfModel(of, nearest(of, of.select(POWER)));
  const share = `max by (${gpuOf(of)}) (${orNothing(of, power)} / on (cluster_id, modelName) group_left () ${highestPower(of)})`;
  const atMost = [
    `${ANY_POWER} + 0 * (${slowedBy(of, 'THERMAL', LOSS.heat)})`,
    `${LOSS.atLimit / 100} + 0 * (${hot(of)})`,
    `${LOSS.ofMost / 100} + 0 * (${slowedBy(of, 'POWER', LOSS.power)})`,
  ].join(' or ');
  return `(${most(of, `(${atMost})`)} > ${share})`;
};

/**
 * A loss of clock that heat explains, a lack of power, or its size, while kernels run: an idle GPU may be at any clock. Its power is that of the
 * same scrape: where GPUs wait for each other, they draw little and are at the full clock in between. The clock is compared with that of the
 * model's GPUs in the cluster that are not at rest. A loss counts from `byHeat` on if heat explains it, from `byPower` on if a lack of power does,
 * and from `byHardware` on without a reason.
 */
const throttled = (of: GpuTime): string => {
  const fastest = `quantile by (cluster_id, modelName) (${LOSS.fastest}, ${clocks(of, of.ofCluster)} > ${LOSS.idleClock})`;
  const share = `${orNothing(of, mostOfModel(of, clocks(of)))} / on (cluster_id, modelName) group_left () ${fastest}`;
  const slow = `min by (${gpuOf(of)}) (${share} < ${1 - LOSS.byHeat / 100})`;
  // Where a process has ended, the clock is that of an idle GPU already, while the mean of 30 seconds still has its kernels.
  const hasNone = `${nearest(of, of.select(FB_USED))} < ${MOST_RESERVED}`;
  const works = each(of, `(${busy(of)}) > ${LOSS.work / 100} unless ${hasNone}`);
  // Less than what a loss without a reason takes, so that none counts without work.
  const reason = `clamp_max(${explained(of)} - ${(LOSS.ofMost + LOSS.byPower - LOSS.byHardware) / 100}, ${(LOSS.byHardware - 1) / 100})`;
  const atWork = `(${works} or ${withLabel(reason, 'r', '1')})`;
  return `${slow} < sum by (${gpuOf(of)}) ${atWork} - ${LOSS.byHardware / 100}`;
};

/** The resolution of queries over the time range: the variable of that name. */
export const RESOLUTION = '${resolution}s';

const SUBQUERY = `[$__range:${RESOLUTION}]`;

/** GPUs that were throttled at a step of the time range. */
export const everThrottled = (of: GpuTime): string => compact(`last_over_time((${throttled(of)})${SUBQUERY})`);

/**
 * The code of GPUs whose memory is in use: more than the least of their node in six hours, by a threshold. Those that a process has are idle if it ran
 * no kernel within a pause, unless it is no older than that. Instances with MIG have less than a GPU, and another driver may reserve more: the
 * exporter's default counters give its version as a label.
 */
const inUse = (of: GpuTime): string => {
  const alike = `${of.node}, GPU_I_PROFILE, DCGM_FI_DRIVER_VERSION`;
  const reserved = `min by (${alike}) (${of.named(`min_over_time(${of.select(FB_USED)}[6h])`)})`;
  const above = `clamp_max(${reserved}, ${MOST_RESERVED}) + ${THRESHOLDS.held}`;
  const memory = most(of, `${of.named(nearest(of, of.select(FB_USED)))} > on (${alike}) group_left () (${above})`);
  // Any kernel counts: a server with few requests runs them for 1 or 2 % of the time.
  const ran = each(of, `${over('max_over_time', of.select(UTIL), PAUSE)} > 0`);
  const [low, idle] = [codeOf('lowActivity'), codeOf('heldIdle')];
  const process = `min by (${gpuOf(of)}) (${of.named(over('min_over_time', of.select(FB_USED), `4m${of.recent}`))}) >= ${MOST_RESERVED}`;
  return `(${idle} + 0 * (${process} unless ${ran}) or ${idle} - ${idle - low} * clamp_max(floor(${memory} / ${MOST_RESERVED}), 1))`;
};

/**
 * The code of GPUs that somebody has, and of which nothing tells that they run kernels now. Where nobody has one, none run on it, measured or not. What
 * is added where it is not measured is nearer to the distance from either code than to another.
 */
const idleOrUnmeasured = (of: GpuTime): string => {
  const [low, idle, not] = (['lowActivity', 'heldIdle', 'notMeasured'] as const).map(codeOf);
  const more = withLabel(`${not - (low + idle) / 2 + 1} * ${unmeasured(lacking(of, 'util'))}`, 'r', '1');
  return `round(clamp_max(sum by (${gpuOf(of)}) (${inUse(of)} or ${idle} * ${allocated(of)} or ${more}) >= ${low}, ${not}), 10)`;
};

/** GPUs with a sample. */
const present = (of: GpuTime): string => each(of, nearest(of, anyOf(of)));

/** Where jobs of nodes are known. */
const withJobs = (of: GpuTime): GpuTime => ({ ...of, select: of.withJobs ?? of.select });

/** Held idle by the one job of their node, or drained with it, if nothing about the GPU itself says more. */
const byScheduler = (of: GpuTime): string => {
  const codes = { held: codeOf('heldIdle'), drained: of.without === 'drained' ? undefined : codeOf('drained') };
  return `${present(withJobs(of))} * on (${of.node}) group_left () ${ofScheduler(of, codes)}`;
};

/** For how long a GPU is missed that fell off the bus of a node that still reports. */
const MISSED_FOR = '1d';

/** For how long a GPU without samples counts. */
const KNOWN_FOR = '6h';

/** The same and a step of four minutes of what its node was, the last of which may be that long before its last sample. */
const KNOWN_FOR_AND_STEP = '6h4m';

/** Nodes that had samples in a time. */
const nodesSampled = (of: GpuTime, window: string): string =>
  `group by (${of.node}) (${of.named(last(anyOf(of, TWO_GPUS), window))})`;

/** GPUs that had samples, on nodes of which some still have. */
const fallen = (of: GpuTime): string =>
  `(${sampled(of, MISSED_FOR)} and on (${of.node}) ${nodesSampled(of, of.window)})`;

/**
 * The code of GPUs without samples: those that fell off the bus, and those of nodes without any, but not of a node that was drained when it had its
 * last ones: somebody has taken it out, as for an upgrade, or given it back, as an autoscaler does. What its scheduler says later may be because it
 * ended.
 */
const gone = (of: GpuTime): string => {
  const reporting = `group by (${of.node}) (${of.named(nearest(of, anyOf(withJobs(of), TWO_GPUS)))})`;
  const newest = `last_over_time((${ofScheduler(of, { drained: codeOf('drained') })} or 0 * ${reporting})[${KNOWN_FOR_AND_STEP}:4m])`;
  const lost = `${codeOf('noData')} * (${nodesSampled(of, KNOWN_FOR)} unless ${newest} > 0)`;
  const nodes = `${codeOf('faulted')} * ${nodesSampled(of, of.window)} or ${lost}`;
  return `${sampled(of, MISSED_FOR)} * on (${of.node}) group_left () (${nodes})`;
};

/** The code of the cause of each GPU, with the labels of a node and `gpu`. */
export function causeOfGpu(of: GpuTime): string {
  const is = (id: CauseId, found: string) => `${codeOf(id)} * ${found}`;
  const isWhere = (id: CauseId, found: string) => `${codeOf(id)} + 0 * ${found}`;
  const idle = [is('lowActivity', running(of)), idleOrUnmeasured(of), byScheduler(of)];
  const codes = [
    is('notMeasured', withoutIndex(of)),
    ...(of.without === 'throttled' ? [] : [isWhere('throttled', `(${throttled(suspected(of))})`)]),
    is('computing', ofVideo(of)),
    computing(of),
    isWhere('faulted', faulted(of)),
    ...(of.without === 'idle' ? [] : idle),
    is('free', sampled(of, of.window)),
    gone(of),
  ];
  return compact(codes.join(' or '));
}

/** GPUs that are faulted if they neither compute nor are throttled: few, and to find these costs a third of all causes. */
export const maybeFaulted = (of: GpuTime): string => {
  const recorded = of.recorded ? `${recordedCauses(of, `cause="${codeOf('faulted')}"`)} or ` : '';
  const found = chosen(of, `(${faulted(of)} or ${fallen(of)} unless ${sampled(of, of.window)})`);
  return compact(`(${recorded}${found})`);
};

/** Those that are to be counted, of GPUs that are read. */
const chosen = (of: GpuTime, gpus: string): string => of.chosen?.(gpus) ?? gpus;

/** How many GPUs each cause has: by its code as the label `cause`, and by the labels given. */
const countsOf = (codes: string, by = ''): string => `count_values${by && ` by (${by})`} ("cause", ${codes})`;

/** What a pool of nodes is called. */
const POOL = 'nodepool_name';

/**
 * Codes with the node pool that the newest sample of the node has. It identifies no GPU, because it may be renamed. Where samples ended it
 * is looked for in steps, each of which has the samples since the one before it.
 */
const inPools = (of: GpuTime, codes: string): string => {
  const seen = (gpus: string) => `time() + 0 * group by (${of.node}, ${POOL}) (${of.named(gpus)})`;
  const before = seen(last(anyOf(of, FIRST_GPU), '15m'));
  const newest = `${seen(last(anyOf(of), of.recent))} or max_over_time((${before})[${POOLS_KNOWN_FOR}:15m])`;
  return `(${codes}) + on (${of.node}) group_left (${POOL}) 0 * topk by (${of.node}) (1, ${newest})`;
};

/** How long a node pool is known for: longer than GPUs that have no data. */
const POOLS_KNOWN_FOR = '7h';

/**
 * Nodes that are scraped every four minutes or less often, if they are there for longer, also where a sample of every five minutes is missed: the
 * windows of others have none of their samples.
 */
const scrapedSlowly = (of: GpuTime): string => {
  const first = of.select(EVERY_GPU, FIRST_GPU);
  const samples = `max by (${of.node}) (${of.named(over('count_over_time', first, '15m'))})`;
  return `(${samples} <= 4 and on (${of.node}) ${of.named(`(${last(first, '11m')} and ${last(first, '11m', ' offset 15m')})`)})`;
};

/** What a node is called until its GPUs are counted: a name is in the query a hundred times, and VictoriaMetrics takes 16 KiB. */
const SHORT_LABEL = 'n';

/** All GPUs for a recording rule. */
const RECORDED: GpuTime = {
  ...FLEET,
  node: `cluster_id, ${SHORT_LABEL}`,
  named: (gpus) => named(gpus, SHORT_LABEL),
};

/** How many GPUs of each node have each cause, if it is scraped once a minute. */
export const countsToRecord = (): string => {
  const counts = countsOf(inPools(RECORDED, causeOfGpu(RECORDED)), `${RECORDED.node}, ${POOL}`);
  const known = copied(
    `${counts} unless on (${RECORDED.node}) ${scrapedSlowly(RECORDED)}`,
    HOST_LABEL,
    SHORT_LABEL,
    '(.*)'
  );
  return compact(`sum by (${NODE_LABELS}, ${POOL}, cause) (${known})`);
};

/** The recorded counts of nodes, with the label that names these elsewhere. */
const recordedCauses = ({ recorded, hosts }: GpuTime, ...matchers: string[]): string =>
  copied(recorded!(RECORD, ...matchers), hosts[0], HOST_LABEL);

/** Those of all GPUs, as recorded or as counted now: where there is a recording, selectors of GPUs match nothing. */
const recordedOr = (of: GpuTime, codes: string, by: string, ...matchers: string[]): string => {
  const counts = countsOf(chosen(of, codes), by);
  return of.recorded ? `sum by (${by && `${by}, `}cause) (${recordedCauses(of, ...matchers)} or ${counts})` : counts;
};

/** How many GPUs each cause has at a moment, likewise. */
export const gpusNow = (of: GpuTime): string => recordedOr(of, causeOfGpu(of), '');

/** A number for each cause, distinguished by the label `cause`. */
const ofEachCause = (number: string): string =>
  `(${CAUSES.map(({ code }) => labeledNumber(number, 'cause', `${code}`)).join(' or ')})`;

/**
 * The number of GPUs by the code of their cause: 0 where no GPU has it, nothing if there were no GPUs in the range. The mean over the time
 * range is therefore the mean of the range.
 */
export const gpusByCause = (of: GpuTime): string => compact(`${gpusNow(of)} or ${ifAny(ofEachCause('0'))}`);

/**
 * 1 if there were GPUs in the time range, else 0: for the variable `has_gpus`, because to find it at each step would read another metric
 * of each GPU. It looks at the steps only, because a range of weeks has too many samples.
 */
export const anyGpus = (of: GpuTime): string =>
  `clamp_max(count_over_time(group(${chosen(of, last(anyOf(of, FIRST_GPU), KNOWN_FOR))}${of.recorded ? ` or ${of.recorded(RECORD)}` : ''})${SUBQUERY}), 1) or on () vector(0)`;

/** Nothing if there were no GPUs in the time range. */
const ifAny = (expr: string): string => `${expr} and on () vector(0) < $has_gpus`;

/** Hours of GPUs, from the mean of how many there are. */
const hoursInRange = (counts: string): string =>
  `sum_over_time((${counts})${SUBQUERY}) / scalar(count_over_time(vector(1)${SUBQUERY})) * $__range_s / 3600`;

/** GPU-hours in the time range of each cause, by its code as the label `cause`. */
export const hoursByCause = (of: GpuTime): string => hoursInRange(gpusNow(of));

/** The same of each node pool. */
export const hoursByPool = (of: GpuTime): string => hoursInRange(recordedOr(of, inPools(of, causeOfGpu(of)), POOL));

/** Causes for which nobody has to do anything. */
const FINE: CauseId[] = ['computing', 'free', 'drained'];

/** Those of the others that are repaired. The rest is lost to what runs, or does not. */
const BROKEN: CauseId[] = ['faulted', 'throttled', 'noData'];

/** The label that is 1 for {@link BROKEN} causes, and 0 for the rest. */
const IS_BROKEN = 'broken';
const kindOf = (counts: string): string =>
  `label_replace(${withLabel(counts, IS_BROKEN, '0')}, "${IS_BROKEN}", "1", "cause", "${BROKEN.map(codeOf).join('|')}")`;

/** The codes of the GPUs that are lost. */
const lostGpus = (of: GpuTime): string =>
  FINE.reduce((codes, id) => `(${codes}) != ${codeOf(id)}`, causeOfGpu({ ...of, without: 'drained' }));

/** The counts of lost GPUs of each node by cause. */
const lost = (of: GpuTime): string =>
  recordedOr(of, `(${lostGpus(of)})`, of.node, `cause!~"${FINE.map(codeOf).join('|')}"`);

/** GPU-hours in the time range that each node lost to each cause: those with most of either kind. */
export const hoursLost = (of: GpuTime, most: number): string =>
  `topk by (${IS_BROKEN}) (${most}, ${kindOf(hoursInRange(lost(of)))})`;

/** 1 for each GPU that is allocated and each team that has it. */
const ofTeams = (of: GpuTime): string => owners(of, present(of));

const BY_TEAM = `cluster_id, ${TEAM}`;

/** What a team has at a moment, by what it is recorded as: GPUs, those of these that are idle, and the power that they draw, in watts. */
const OF_TEAMS = {
  'gpucloud:gpus:by_team': (of: GpuTime) => `count by (${BY_TEAM}) (${ofTeams(of)})`,
  'gpucloud:idle_gpus:by_team': (of: GpuTime) =>
    `count by (${BY_TEAM}) (${ofTeams(of)} unless on (${gpuOf(of)}) (${running(of)} or ${inUse(of)} == ${codeOf('lowActivity')} or ${drawing(of)} or ${ofVideo(of)} or ${unmeasured(of)}))`,
  'gpucloud:gpu_watts:by_team': (of: GpuTime) => {
    const watts = most(of, over('avg_over_time', of.select(POWER), of.window));
    return `sum by (${BY_TEAM}) (${ofTeams(of)} * on (${gpuOf(of)}) group_left () ${watts})`;
  },
};

/** The expression to record each. */
export const teamsToRecord = (): Array<{ record: string; expr: string }> =>
  Object.entries(OF_TEAMS).map(([record, of]) => ({ record, expr: compact(of(RECORDED)) }));

/** The hours of one of these in the time range. */
export const hoursOfTeams = (of: GpuTime, what: keyof typeof OF_TEAMS): string => {
  const now = chosen(of, OF_TEAMS[what](of));
  return hoursInRange(of.recorded ? `${of.recorded(what)} or ${now}` : now);
};
