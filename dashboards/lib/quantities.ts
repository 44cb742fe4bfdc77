// The quantities of src/catalog/quantities.ts, of what is chosen on a dashboard, and of all there is for rules.
import { quantity, type QuantityName, type Scope } from '../../src/catalog/quantities.ts';
import { alsoNamed, HOST_LABELS, named, NODE_LABELS } from './host.ts';
import { QUEUE_OF_PODS } from './kubernetes.ts';
import {
  ANY_HOST,
  anywhere,
  eachName,
  HOST,
  IN_CLUSTER,
  inCluster,
  matching,
  over,
  vendor,
  whereLabel,
} from './promql.ts';

/** In a chart every sample counts: a step without one, because a scrape was late or missed, has the last value. */
const STEP = '$__interval';
/** Of rates, which need two samples. */
const RATE_STEP = '$__rate_interval';

/** Clusters may name their nodes by different labels. An `instance` may change, so it counts only where it is the one that names nodes. */
const nodeBy = (host: string): string => ['cluster_id', ...HOST_LABELS.slice(0, -1), host].join(', ');

/** Of the series that are selected, and named. PromQL can't add times, but a subquery can look ahead from where it ends. */
const selectedBy = (
  select: Scope['select'],
  labels: Pick<Scope, 'node' | 'vendor'>,
  name = (series: string) => series
): Scope => ({
  ...labels,
  select: (...given) => name(select(...given)),
  over: (fn, metric, window, ...more) => name(over(fn, select(metric, ...more), window)),
  ago: (metric, window, offset, fn = 'last_over_time') => name(over(fn, select(metric), window, ` offset ${offset}`)),
  after: (metric, time, offset) =>
    name(eachName(select(metric), (one) => `last_over_time((${one} offset -${time})[15m:5m] offset ${offset})`)),
});

/** What dashboards choose from. */
const CHOSEN = { node: nodeBy(HOST), vendor };

/** Of those that matchers choose: without any also of what belongs to no cluster, such as shared disks and load balancers. */
export function matchedBy(...matchers: string[]): Scope {
  const of = selectedBy((metric, ...more) => anywhere(metric, ...matchers, ...more), CHOSEN);
  const orLast: Scope['over'] = (fn, metric, window, ...more) => {
    const found = of.over(fn, metric, window, ...more);
    return window === STEP && fn !== 'last_over_time' ? `(${found} or ${of.select(metric, ...more)})` : found;
  };
  return { ...of, over: orLast };
}

/** Of the chosen clusters. */
export const chosenClusters = (...matchers: string[]): Scope => matchedBy(IN_CLUSTER, ...matchers);

/** Of GPUs of the chosen clusters, whose nodes either of two labels names. */
export const chosenGpus = (...matchers: string[]): Scope =>
  selectedBy((metric, ...more) => inCluster(metric, ANY_HOST, ...matchers, ...more), CHOSEN, alsoNamed);

/** A number of the GPUs of some nodes: those whose node another label names are read as well, and left out by that name. */
export const ofNodes = (nodes: string, expr: (of: Scope) => string): string =>
  whereLabel(`(${expr(chosenGpus(`${HOST}=~"|${nodes}"`))})`, HOST, nodes);

/** Of machines of the chosen clusters, or of those whose metrics don't name one. */
export const chosenMachines = (...matchers: string[]): Scope => matchedBy('cluster_id=~"$cluster|"', ...matchers);

/** Of the chosen Slurm clusters, which are not those of GPUs. */
export const slurmClusters: Scope = { ...matchedBy('cluster_id=~"$slurm_cluster"'), ofSoperator: true };

/** Slurm's counts by https://github.com/vpenso/prometheus-slurm-exporter: a node is in one state, and somebody has reserved ones. */
const OTHER_NAMES: Record<string, string> = {
  nodes: 'nodes_(alloc|comp|down|drain|err|fail|idle|idle_power_save|maint|mix|plnd|resv)',
  nodes_alloc: 'nodes_(alloc|resv)',
  nodes_mixed: 'nodes_(mix|comp)',
  nodes_idle: 'nodes_(idle|idle_power_save|plnd)',
  nodes_drain: 'nodes_(drain|maint)',
  nodes_down: 'nodes_(down|err|fail)',
  jobs_running: 'queue_running',
  jobs_pending: 'queue_pending',
};

/** Of these, and of the chosen clusters with another exporter of Slurm, and of Kubernetes. */
export const queues: Scope = {
  ...slurmClusters,
  insteadOfSlurm: (count) => [
    `sum by (cluster_id, partition) ({__name__=~"slurm_${OTHER_NAMES[count] ?? count}", cluster_id=~"$slurm_cluster"})`,
    QUEUE_OF_PODS[count],
  ],
};

/** Of runs, where no variable has the label that names a node. */
const ofRuns = (matcher: string): Scope => ({ ...matchedBy(matcher), node: nodeBy('instance') });

/** Of the node pools of the chosen jobs, in any cluster. */
export const poolOfJobs = ofRuns(`nodepool_name=~"$pool", nodepool_name!=""`);

/** Of the GPUs of a run. The backend fills in the matchers. */
export const ofEachRun = ofRuns('$selector');

/** Of a metric of which only the end of the name is known. */
export const anyVendor = (name: string): string => `{__name__=~".+_${name}"}`;

const everything = (metric: string, ...matchers: string[]): string =>
  metric.startsWith('{') ? matching(metric, ...matchers) : anywhere(metric, ...matchers);

const ALL = { node: NODE_LABELS, vendor: anyVendor };

/** All there is, for alert rules: those have no variables, and the vendor's metrics have any of their names. What is of no node needs none. */
export const WITHOUT_NODES = selectedBy(everything, ALL);

/** All nodes, which have any of their names. */
export const EVERYTHING = selectedBy(everything, ALL, named);

/** At the end of the range, or at the moment of an alert rule. */
export const atEnd = quantity;

/** Over the steps of a chart. */
export function inSteps(name: QuantityName, of: Scope, by = ''): string {
  const expr = quantity(name, of, by, STEP);
  return expr.includes('rate(') ? quantity(name, of, by, RATE_STEP) : expr;
}

/** Likewise, by the label `pool`: the node pool, where nodes have one. It is never empty on the way, see `copied`. */
export function inPools(name: QuantityName, of: Scope): string {
  const twice = `label_join(${inSteps(name, of, 'nodepool_name')}, "pool", ";", "nodepool_name", "nodepool_name")`;
  const named = `label_replace(${twice}, "pool", "$1", "pool", "(.+);.+")`;
  return `label_replace(${named}, "pool", "no node pool", "pool", ";")`;
}
