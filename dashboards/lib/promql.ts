// Selectors and expressions that several dashboards share. Vendor families are written `vendor('vm_boot_time')`; the
// prefix is a variable, found by query.

/** The full name of a vendor's metric. */
export const vendor = (name: string): string => `\${prefix}_${name}`;

/** The label that names a node: `vm_name` where the platform has it, else `instance`. */
export const HOST = '${host}';

/** What is picked on the dashboard, as matchers. */
const IN_CLUSTER = 'cluster_id=~"$cluster"';
const ON_NODE = `${HOST}=~"$node"`;
const OF_GPU = 'gpu=~"$gpu"';

const select = (metric: string, matchers: string[]): string => `${metric}{${matchers.join(', ')}}`;

export const inCluster = (metric: string, ...more: string[]): string => select(metric, [IN_CLUSTER, ...more]);
export const onNode = (metric: string, ...more: string[]): string => select(metric, [IN_CLUSTER, ON_NODE, ...more]);
export const ofGpu = (metric: string, ...more: string[]): string =>
  select(metric, [IN_CLUSTER, ON_NODE, OF_GPU, ...more]);

/** Per second, over a window that always holds enough samples. */
export const rate = (selector: string): string => `rate(${selector}[$__rate_interval])`;

/** Adds the label `node`, whatever the platform calls it, so that legends, tables and links can use it. */
export const withNode = (expr: string): string => `label_replace(${expr}, "node", "$1", "${HOST}", "(.+)")`;

/** An expression for each node, with the label `node` only. */
export const byNode = (aggregation: string, expr: string, ...labels: string[]): string =>
  withNode(`${aggregation} by (${[HOST, ...labels].join(', ')}) (${expr})`);

/** How many series meet a condition: 0 if none does, nothing if the family isn't collected. */
export const countOf = (expr: string, condition: string): string => `count(${expr} ${condition}) or 0 * count(${expr})`;

/** A quantile of a histogram's observations, by the given labels. */
export const latency = (quantile: number, histogram: string, ...labels: string[]): string =>
  `histogram_quantile(${quantile}, sum by (${['le', ...labels].join(', ')}) (${rate(histogram)}))`;

/** The mean of a histogram's observations, by the given labels: it reads two series where a quantile reads a dozen. */
export function mean(select: (metric: string) => string, histogram: string, ...labels: string[]): string {
  const sum = (part: string) => `sum by (${labels.join(', ')}) (${rate(select(`${histogram}_${part}`))})`;
  return `${sum('sum')} / ${sum('count')}`;
}

/** Utilisation of each GPU over the past quarter of an hour, in percent: what stragglers are found by. */
const recent = (select: (metric: string) => string) => `avg_over_time(${select('DCGM_FI_DEV_GPU_UTIL')}[15m])`;

/**
 * GPUs that do clearly less than the others of their node: the share of the node's median that each reaches. GPUs of a
 * node mostly work on one job in step, so the slowest holds up all. Nodes that do next to nothing are left out.
 */
export function pace(select: (metric: string) => string): string {
  const median = `quantile by (${HOST}) (0.5, ${recent(select)})`;
  return `${recent(select)} / on (${HOST}) group_left () (${median} > 10)`;
}

/** Below this share of the median a GPU is a straggler. */
export const STRAGGLER = 0.85;
