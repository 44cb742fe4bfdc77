// Hidden variables of the causes of GPU time and of stragglers: how often GPUs are scraped, and what needn't be read of a large fleet.
import { EVERY_GPU, FIRST_GPU, OWNED } from './allocation.ts';
import { COMPLETE, ENGINE, type GpuTime, OF_INSTANCE, RECORD, suspectedFaults } from './causePromql.ts';
import { COUNTED_GPUS } from './gpuStates.ts';
import { secondHostLabel } from './host.ts';
import {
  ALSO_HOST,
  anywhere,
  BY_GPU,
  BY_NODE,
  HOST,
  inCluster,
  inScope,
  over,
  whereLabel,
  withLabel,
} from './promql.ts';
import { maybeSlower } from './stragglers.ts';
import { clusters, endsOfNodesWith, hidden, host, labelIn, number, firstOf } from './variables.ts';

/** The first GPU of each node, or what stands for all of one: enough for what all of a node have in common, which their exporter decides. */
const ONE_OF_NODE = inCluster(EVERY_GPU, FIRST_GPU);

/**
 * The resolution of queries that evaluate every GPU over the time range, in seconds: a minute, or on large fleets and over long
 * ranges as much as keeps them to 200,000 evaluations of a GPU, and small fleets to 3,300 points. From two minutes on it is no whole
 * number of minutes: that would find what jobs do at regular times always or never. Needs the variables of `forCountsOfGpus`.
 */
export const resolution = () =>
  number(
    'resolution',
    `61 * ceil(clamp_min(count(group by (${BY_GPU}) (${inScope('$every')})), 60) * $__range_s / 12e6) - 1 or on () vector(60)`,
    'Seconds between two evaluations of every GPU'
  );

/**
 * Samples in an hour of GPUs that are there for it: of those that are new it is not known. A GPU has several series: of instances with MIG,
 * of the jobs that share it, and of those before and after another job of the hour. Those of several metrics have the same labels.
 */
const SAMPLES = `sum by (${BY_GPU}) (${over('count_over_time', ONE_OF_NODE, '1h')}) / count by (${BY_GPU}) (${over('max_over_time', ONE_OF_NODE, '5m')}) and count by (${BY_GPU}) (${ONE_OF_NODE} offset 1h)`;

/** Seconds between samples of most GPUs, and those of each cluster. */
const INTERVAL = `3600 / quantile(0.5, ${SAMPLES})`;
const INTERVALS = `3600 / quantile by (cluster_id) (0.5, ${SAMPLES})`;

/**
 * Those of the cluster that is scraped least often, at either end of the range: in too short a window its GPUs have no sample. It has no label,
 * and what names nodes is written among its labels because this fails if it could not be read, and other queries are valid all the same.
 */
const LONGEST_INTERVAL = (() => {
  const longest = `max(${INTERVALS})`;
  return `max by (${ALSO_HOST}) (${longest} or ${withLabel(`last_over_time((${longest})[5m:5m] offset $__range)`, 'at', 'start')})`;
})();

/**
 * The pattern of the clusters that are read: the end of the name of one, or all, because the names of several in fifty selectors are more than
 * the 16 KiB that VictoriaMetrics takes. Others are left out of the result. Hidden.
 */
const scope = () => {
  const one = `group by (cluster_id) (${ONE_OF_NODE})`;
  const end = `label_replace(${one}, "scope", ".*$1", "cluster_id", ".*?(.{0,4})") and on () count(${one}) == 1`;
  return hidden(
    'scope',
    `(${end}) or on () ${withLabel('vector(0)', 'scope', '.*')}`,
    labelIn('scope'),
    'The chosen cluster, or all if several are chosen'
  );
};

/** The clusters that are chosen, and how their GPUs are read: hidden, the labels that name nodes, and the variable of `inScope`. */
export const clustersOfGpus = () => [
  clusters(),
  host(),
  scope(),
  hidden('also', secondHostLabel(inCluster(EVERY_GPU)), labelIn('host'), 'The label that names the other nodes'),
];

/**
 * How far back the samples of a GPU count, in seconds: two to three, and one, from how often GPUs are scraped. One of 15 s has those of a minute and
 * more, because what a GPU does is classified by the minute.
 */
const windows = () => [
  number(
    'window',
    `ceil(clamp_min(2.5 * ${LONGEST_INTERVAL}, 75)) or on () vector(150)`,
    'Seconds that have two or three samples of a GPU'
  ),
  number('recent', 'ceil(vector($window) / 2) or on () vector(75)', 'Seconds that have a sample of a GPU'),
  number(
    'reported',
    'clamp_min(vector($recent), 75) or on () vector(75)',
    'Seconds that have a sample of a scheduler, which is scraped once a minute, or as often as GPUs'
  ),
];

/** The end of a pattern, for what is read in any case, and for what is not read: no name ends in it. */
const [ANYTHING, NOTHING] = ['()', ';'];

/** An end of a pattern where an expression has a result, and the other one elsewhere. Hidden. */
const suffix = (name: string, value: string, expr: string, description: string) =>
  firstOf(name, [[value, expr]], value === NOTHING ? ANYTHING : NOTHING, description);

/**
 * What makes points over time look ahead where scrapes are some five minutes apart, as those of nodes that are `scrapedSlowly`: by two minutes,
 * so that each is about the sample that is nearest to the middle of its minute. Else a space, because results that look ahead are not cached.
 */
export const shift = () =>
  firstOf('shift', [['offset -2m', `${INTERVAL} > 240`]], ' ', 'How far points over time look ahead');

/**
 * What is added to the pattern of clusters of series that are read to count GPUs: nothing, or what no cluster ends in where recording rules
 * have counted the GPUs of all chosen clusters since the start of the range. Hidden.
 */
const recorded = () => {
  const record = inCluster(RECORD);
  const known = `(group by (cluster_id) (${record}) and on (cluster_id) last_over_time(${record}[1h] offset $__range))`;
  const others = `count(group by (cluster_id) (${ONE_OF_NODE}) unless on (cluster_id) ${known})`;
  return suffix(
    'live',
    NOTHING,
    `count(${known}) unless on () ${others}`,
    'Keeps GPUs from being read that recording rules have counted'
  );
};

/** What schedulers say of the chosen clusters, and of none. */
const bySchedulers = (metric: string): string => anywhere(metric, 'cluster_id=~"$cluster|"');

/** Nodes that end are not lost if they were cordoned before: they are looked for as far back as those that have ended. */
const CORDONED = ['[$__range]', '[7h] offset $__range']
  .map((when) => `max_over_time(${bySchedulers('kube_node_spec_unschedulable')}${when}) == 1`)
  .join(' or ');

/** Names of nodes take much of a query: where more may be faulted, all are looked at. */
const MOST_FAULTY = 10;

/** What `COUNTED_GPUS` needs, besides `clustersOfGpus` and `nodesToReadAllOf`. */
export const forCountsOfGpus = () => [
  ...windows(),
  recorded(),
  suffix(
    'jobs',
    ANYTHING,
    `count(last_over_time(${bySchedulers('slurm_node_(info|job|cpu_total)')}[$__range]) or ${CORDONED})`,
    'Keeps GPUs from being looked up by their node if no scheduler says anything of it'
  ),
  firstOf(
    'within',
    [['no_cluster,', `last_over_time(${anywhere('slurm_node_(info|job|cpu_total)', 'cluster_id=""')}[$__range])`]],
    'cluster_id,',
    'What joins GPUs with what Slurm says, besides the names of nodes: a label that neither has, if that is of no cluster'
  ),
  every(),
  ...Object.entries(COMPLETE).map(([name, metric]) => lacking(name, metric)),
  suffix(
    'no_minute',
    NOTHING,
    `min(${INTERVALS}) >= 58`,
    'Adds what is read where GPUs are scraped more than once a minute'
  ),
  suffix(
    'no_steady',
    ANYTHING,
    `abs(vector($window) - 185) > 40 or count(${owned('$every')})`,
    'Adds what is read where GPUs are not scraped about once a minute, or have labels of owners, which change'
  ),
];

/** The nodes with GPUs that may be faulted, or of which all is read for another reason. */
export const nodesToReadAllOf = (...gpus: Array<(of: GpuTime) => string>) => {
  const some = [suspectedFaults, ...gpus].map((one) => one(COUNTED_GPUS)).join(' or ');
  return fewNodes('faulty', 'others', some, MOST_FAULTY, 'GPUs of which all is read');
};

const [MEMORY] = EVERY_GPU.split('|');

/** GPUs with a label that says whose they are. */
const owned = (metric: string): string =>
  `group by (${BY_GPU}) (${OWNED.map((matchers) => inCluster(metric, ...matchers)).join(' or ')})`;

/** A metric that every node has at both ends of the range, with the labels that say whose its GPUs are; or several of which each GPU has one. Hidden. */
const every = () => {
  const gpus = (metric: string, ago: string) => `group by (${BY_GPU}) (${inCluster(metric, FIRST_GPU)}${ago})`;
  const without = [
    ...['', ' offset $__range'].map((ago) => `${gpus(EVERY_GPU, ago)} unless ${gpus(MEMORY, ago)}`),
    `${owned(EVERY_GPU)} unless ${owned(MEMORY)}`,
  ];
  const all = `(count(${inCluster(MEMORY, FIRST_GPU)}) unless on () count(${without.join(' or ')}))`;
  return firstOf('every', [[MEMORY, all]], namesOfEvery, 'The metrics that tell which GPUs there are, and whose');
};

/**
 * What lets others be read in place of a metric: nothing if the first GPU of each node has it at both ends of the range, and none is divided by
 * MIG.
 */
const lacking = (name: string, metric: string) => {
  const nodes = (of: string, ago: string) => `group by (${BY_NODE}) (${inCluster(of, FIRST_GPU)}${ago})`;
  const without = ['', ' offset $__range'].map((ago) => `${nodes('$every', ago)} unless ${nodes(metric, ago)}`);
  const some = [...without, inCluster(ENGINE, OF_INSTANCE)].join(' or ');
  return suffix(`no_${name}`, ANYTHING, `count(${some})`, `Adds what is read where GPUs lack ${metric}`);
};

/** One pattern of both metrics, under each of their names. */
const namesOfEvery = 'DCGM_FI_DEV_(FB_USED|GPU_UTIL.*)';

/** Ends are in a query 68 times. */
const MOST_BEHIND = 12;

/** What `chosenStragglers` needs, besides `clustersOfGpus`: the GPUs of all nodes are compared only if many may be slower than their peers. */
export const forStragglers = () =>
  fewNodes('behind', 'rest', maybeSlower(), MOST_BEHIND, 'GPUs that may be slower than their peers');

/**
 * Ends of the names of nodes that have some GPUs, and what adds all other nodes if they are more than `most`: if there is one name more. To count
 * them would read as much again. Hidden.
 */
const fewNodes = (few: string, others: string, gpus: string, most: number, what: string) => [
  endsOfNodesWith(few, `topk(${most + 1}, count by (${HOST}) (${gpus}))`, `nodes with ${what}`, 3),
  suffix(
    others,
    ANYTHING,
    whereLabel(withLabel('vector(1)', 'names', `$${few}`), 'names', `([^|]*[|]){${most}}.*`),
    `Adds all other nodes if many have ${what}`
  ),
];
