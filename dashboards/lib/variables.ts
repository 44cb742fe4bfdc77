import { ALL_JOBS, EVERY_GPU, FIRST_GPU, NOT_OF_EXPORTER, SHORT } from './allocation.ts';
import { bestHostLabel, HOST_LABEL, HOST_LABELS, named } from './host.ts';
import { anywhere, copied, HOST, IN_CLUSTER, matching, vendor, withLabel } from './promql.ts';
import type { TypedVariableQuery } from '../../src/variables/query.ts';
import type { RunSource } from '../../src/types/runSource.ts';
import { DATA_SOURCE_VARIABLE, dataSource, PLUGIN_ID } from './dataSource.ts';

/** A variable of a dashboard, as Grafana saves it. */
export interface Variable {
  name: string;
  type: 'datasource' | 'query' | 'custom' | 'textbox';
  label?: string;
  description?: string;
  [more: string]: unknown;
}

/** Marks the saved query of a variable of Grafana's Prometheus data source, whose shape this plugin's have, too. */
const REF_ID = 'PrometheusVariableQueryEditor-VariableQuery';

/** The kinds of a variable's query, as they are saved. */
const LABEL_VALUES = 1;
const METRICS = 2;
const QUERY_RESULT = 3;

/** Grafana's numbers for when a variable is read again, how its values are sorted, and where it is shown. */
const ON_TIME_RANGE_CHANGE = 2;
const NATURAL_ORDER = 7;
export const HIDDEN = { hide: 2 };
/** What is changed seldom: it is in the menu of the dashboard's controls instead of above the panels. */
export const IN_CONTROLS_MENU = { hide: 3 };

const query = (name: string, qryType: number, text: string): Variable => ({
  type: 'query',
  name,
  datasource: dataSource,
  query: { qryType, query: text, refId: REF_ID },
  definition: text,
  refresh: ON_TIME_RANGE_CHANGE,
  sort: NATURAL_ORDER,
});

/** One, several or all of them. */
const ALL = { multi: true, includeAll: true, allValue: '.*', current: { text: ['All'], value: ['$__all'] } };

/** What "all" means is left to the backend: it knows own nodes, and goes on counting jobs in range only. */
const ALL_OF_BACKEND = { ...ALL, allValue: '$__all' };

/**
 * Hidden, and with a value that no query is valid with, in a regular expression neither: Grafana keeps it if the variable's query fails, which it does
 * not show. Without one, a panel would be empty.
 */
const found = (name: string) => {
  const unread = `the variable ${name} could not be read (`;
  return { ...HIDDEN, current: { text: unread, value: unread } };
};

export const dataSourceVariable = (): Variable => ({
  type: 'datasource',
  name: DATA_SOURCE_VARIABLE,
  label: 'Data source',
  description:
    'Where there is none to choose, add a data source of the type GPU Cloud: Connections, Add new connection',
  query: PLUGIN_ID,
});

/** What the vendor's metrics begin with: what comes before the names of families that are known. */
export const prefix = (): Variable => ({
  ...query('prefix', METRICS, 'metrics(.+_(vm|ib_port|sdisk|elb|slurm)_.+)'),
  regex: '/^(.+?)_(?:vm|ib_port|sdisk|elb|slurm)_/',
  description: 'What the metrics of this platform begin with, found among their names',
  ...found('prefix'),
});

/** Where labels are looked up, a matcher of all names does. */
const GPU_SERIES = anywhere(EVERY_GPU);

/** The values of a label, of which one is shown. */
const one = (name: string, label: string, selector: string, of: string): Variable => ({
  ...query(name, LABEL_VALUES, `label_values(${selector}, ${of})`),
  label,
});

/** The values of a label, of which one, several or all are shown. */
export const several = (...variable: Parameters<typeof one>): Variable => ({ ...one(...variable), ...ALL });

export const clusters = () => several('cluster', 'Cluster', GPU_SERIES, 'cluster_id');

/** One machine. Those of lists are called `machines`, so that the choice of all of them is not passed on to this one. */
export const machines = () =>
  several('machines', 'Nodes', `${vendor('vm_memory_total_bytes')}{cluster_id=~"$cluster|"}`, 'vm_name');
export const node = () => one('node', 'Node', matching(GPU_SERIES, IN_CLUSTER), '$host');

export const gpus = () => several('gpu', 'GPU', matching(GPU_SERIES, IN_CLUSTER, '$host=~"$node"'), 'gpu');

/** The values that a label has in a result, for queries: nobody has to choose one. The last choice stands for a result without any. */
export const hidden = (name: string, expr: string, regex: string, description: string): Variable => ({
  ...query(name, QUERY_RESULT, `query_result(${expr})`),
  regex,
  description,
  ...found(name),
});

/**
 * The text of the first expression that has a result, or else the last one. Hidden. To VictoriaMetrics a comparison that does not hold is a series
 * without values, and so is one that ended just before a window: `or` takes these for a result, and `and` does not.
 */
export const firstOf = (
  name: string,
  texts: Array<[text: string, expr: string]>,
  otherwise: string,
  description: string
): Variable => {
  const all = [...texts.map(([text, expr]) => [text, `(vector(0) and on () (${expr}))`]), [otherwise, 'vector(0)']].map(
    ([text, expr]) => withLabel(expr, name, text)
  );
  return hidden(name, all.join(' or on () '), labelIn(name), description);
};

/** What a label is in the name of a series: `{…, vm_name="…"}`. */
export const labelIn = (label: string) => `/\\b${label}="([^"]+)"/`;

/** The label that names a node, hidden: clusters may differ in the version of the exporter, and so in the label. */
export const host = () =>
  hidden(
    'host',
    bestHostLabel(matching(GPU_SERIES, IN_CLUSTER, FIRST_GPU)),
    labelIn('host'),
    'The label that names most of the nodes'
  );

/** GPUs of the range, or of a while before its end. */
const seen = (matcher: string, window = '$__range'): string =>
  `last_over_time(${matching(GPU_SERIES, IN_CLUSTER, matcher)}[${window}])`;

/**
 * A node by whichever label names it, and that label, hidden: where an exporter was upgraded it may be another than that of most nodes, which `host`
 * gives. If it was upgraded in the range, it is the newest.
 */
export const nodeByAnyLabel = () => [
  {
    ...query('node', QUERY_RESULT, `query_result(group by (n) (${named(seen(FIRST_GPU), 'n')}))`),
    regex: labelIn('n'),
    label: 'Node',
  },
  firstOf(
    'host',
    ['15m', '$__range'].flatMap((window) =>
      HOST_LABELS.map((label): [string, string] => [label, seen(`${label}=~"$node"`, window)])
    ),
    HOST_LABEL,
    'The label that has the name of the chosen node'
  ),
];

/** Matches the name of the chosen node where machines are named, which may be without its domain. A dashboard with it has the variables of `machine`. */
export const IS_MACHINE = '=~"$node|$machine"';

/** The name of the chosen node without its domain, and the label of the machines' metrics that has either name: GPUs may name it by another. Hidden. */
export const machine = () => [
  hidden(
    'machine',
    // Never empty, because a variable without a value makes no valid query.
    copied(withLabel('vector(0)', 'machine', ';$node'), 'machine', 'machine', `;${SHORT}`),
    labelIn('machine'),
    'The name of the chosen node without its domain'
  ),
  firstOf(
    'machine_host',
    HOST_LABELS.map((label) => [label, `count(${vendor('vm_memory_total_bytes')}{${label}${IS_MACHINE}})`]),
    HOST_LABEL,
    'The label of machines that has the name of the chosen node'
  ),
];

/** A hidden number. */
export const number = (name: string, expr: string, description: string) =>
  hidden(name, expr, String.raw`/\} (\d+) /`, description);

const HOST_IN = labelIn(`(?:${HOST_LABELS.join('|')})`);

/** No node has this name, so that what is read of nodes with findings is nothing if there are none. */
const NOBODY = 'nobody';

/**
 * The names of nodes with findings, or another label of these, hidden, so that queries read only such nodes: few, because the names are
 * part of the queries. Empty as long as the query has always failed.
 */
export const nodesWith = (name: string, findings: string, description: string, label?: string): Variable => ({
  ...hidden(
    name,
    `${findings} or on () ${withLabel('vector(0)', label ?? HOST, NOBODY)}`,
    label ? labelIn(label) : HOST_IN,
    description
  ),
  ...ALL,
  allValue: '',
});

/**
 * The ends of the names of such nodes: a name is part of a query three dozen times, and VictoriaMetrics takes 16 KiB. What is read by ends is of
 * some nodes more, the fewer the longer the ends, and of all if none could be found.
 */
export const endsOfNodesWith = (name: string, findings: string, what: string, length: number, label = HOST): Variable =>
  nodesWith(
    name,
    `label_replace(${findings}, "end", "$1", "${label}", ".*?(.{1,${length}})")`,
    `Ends of the names of ${what}`,
    'end'
  );

/** The node pools of the jobs that are chosen, as their metadata names them. Hidden. */
export const poolsOfJobs = (): Variable => ({
  ...listed('pool', 'Node pool', {
    queryType: 'runLabels',
    source: { kind: 'fineTuning', jobIds: ['$job'], models: ['$model'] },
    label: 'node_pool',
    refId: 'Variable',
  }),
  ...ALL,
  allValue: undefined,
  description: 'The node pools of the chosen jobs',
  ...HIDDEN,
});

/** What the tuning gateway or the main API lists, or runs. */
const listed = (name: string, label: string, saved: TypedVariableQuery): Variable => ({
  type: 'query',
  name,
  label,
  datasource: dataSource,
  query: saved,
  definition: saved.queryType,
  refresh: ON_TIME_RANGE_CHANGE,
});

/** One, several or all of what is listed. */
const listedAll = (...variable: Parameters<typeof listed>): Variable => ({ ...listed(...variable), ...ALL_OF_BACKEND });

/** The ids of fine-tuning jobs of the model that is picked, shown with their names. */
export const jobs = () =>
  listedAll('job', 'Job', { queryType: 'fineTuningJobs', models: ['$model'], refId: 'Variable' });
export const models = () => listedAll('model', 'Model', { queryType: 'fineTuningModels', refId: 'Variable' });

const ofCapacities = (name: string, label: string, valueSelector: string) =>
  listedAll(name, label, { queryType: 'platform', path: '/v1/capacities', valueSelector, refId: 'Variable' });
export const products = () => ofCapacities('product', 'Type wanted', 'type');
export const locations = () => ofCapacities('location', 'Location wanted', 'location');

/**
 * The source of runs that is picked on the dashboard. Its kind is a variable, so it has the options of all kinds: the one that is
 * picked decides which of them count.
 */
export const RUN_SOURCE = {
  kind: '$source',
  expr: '${series:raw}',
  by: ['$by'],
  runs: [{ name: 'The time range shown', from: '${__from}', to: '${__to}' }],
} as unknown as RunSource;

/** The ids of runs of the source that is picked, shown with their names, newest first: one of them. */
export const oneRun = (name: string, label: string): Variable =>
  listed(name, label, { queryType: 'runs', source: RUN_SOURCE, refId: 'Variable' });

/** Likewise, several or all. */
export const runs = (): Variable => ({ ...oneRun('runs', 'Runs'), ...ALL_OF_BACKEND });

/** A series for each pod that has GPUs. A scrape without `honor_labels` renames its labels. */
const podsWithGpus = (renamed: 'exported_' | ''): string => {
  const matchers = renamed ? ['exported_pod!=""'] : NOT_OF_EXPORTER;
  return `group by (${renamed}namespace, ${renamed}pod) (DCGM_FI_DEV_FB_USED{${matchers.join(', ')}})`;
};

/** Where runs come from, and what they are. */
export const runSource = (): Variable[] => [
  picked('source', 'Runs from', [
    { text: 'Fine-tuning jobs', value: 'fineTuning' },
    { text: 'PromQL series', value: 'series' },
    { text: 'The time range shown', value: 'manual' },
  ]),
  {
    ...picked('series', 'Series', [
      { text: 'Training loss', value: 'training_loss{metrics_source="custom-metrics"}' },
      { text: 'Slurm jobs', value: ALL_JOBS },
      { text: 'Pods with GPUs (label exported_pod)', value: podsWithGpus('exported_') },
      { text: 'Pods with GPUs (label pod)', value: podsWithGpus('') },
    ]),
    description: 'Of PromQL series: each label set is a run. Others can be typed in',
  },
  {
    ...text(
      'by',
      'A run for each',
      'pod_name,nodepool_name,job_id,hpc_job,exported_namespace,exported_pod,namespace,pod'
    ),
    description: 'Of PromQL series: the labels that distinguish runs, of those that the series have',
  },
  {
    ...text('matchers', 'GPUs of a run', ''),
    description:
      'Label matchers: $ and the name of a label of the run stands for its value, and {} for all GPUs. Without any, the labels of the run, its pod or its Slurm job say which',
  },
];

/** A comma separates values. */
const escaped = (text: string): string => text.replaceAll(',', '\\,');

/** One of a few values. */
export const picked = (name: string, label: string, options: Array<{ text: string; value: string }>): Variable => ({
  type: 'custom',
  name,
  label,
  query: options.map(({ text, value }) => `${escaped(text)} : ${escaped(value)}`).join(', '),
  options,
  current: options[0],
});

/** A text or a number that is typed in. */
export const text = (name: string, label: string, initial: string): Variable => ({
  type: 'textbox',
  name,
  label,
  query: initial,
  current: { text: initial, value: initial },
});
