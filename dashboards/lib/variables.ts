import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  TextBoxVariableBuilder,
  VariableHide,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { EVERY_GPU } from './allocation.ts';
import { bestHostLabel, HOST_LABEL, HOST_LABELS } from './host.ts';
import { namesOf } from '../../src/catalog/metrics/aliases.ts';
import { anywhere, HOST, inCluster, vendor } from './promql.ts';
import type { TypedVariableQuery } from '../../src/variables/query.ts';
import { RUN_SOURCE } from './runs.ts';
import { DATA_SOURCE_VARIABLE, dataSource, GRAFANA_METRICS_VARIABLE, grafanaMetrics, PLUGIN_ID } from './dataSource.ts';

/** Marks the saved query of a variable of Grafana's Prometheus data source, whose shape this plugin's have, too. */
const REF_ID = 'PrometheusVariableQueryEditor-VariableQuery';

/** The kinds of a variable's query, as they are saved. */
const LABEL_VALUES = 1;
const METRICS = 2;
const QUERY_RESULT = 3;

const query = (name: string, qryType: number, text: string) =>
  new QueryVariableBuilder(name)
    .datasource(dataSource)
    .query({ qryType, query: text, refId: REF_ID })
    .definition(text)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc);

const all = (variable: QueryVariableBuilder) => variable.multi(true).includeAll(true).allValue('.*').current(ALL);

const ALL = { text: ['All'], value: ['$__all'] };

export const dataSourceVariable = () =>
  new DatasourceVariableBuilder(DATA_SOURCE_VARIABLE)
    .label('Data source')
    .description(
      'Where there is none to choose, add a data source of the type GPU Cloud: Connections, Add new connection'
    )
    .type(PLUGIN_ID);

export const grafanaMetricsVariable = () =>
  new DatasourceVariableBuilder(GRAFANA_METRICS_VARIABLE)
    .label("Grafana's metrics")
    .description(
      'A Prometheus that scrapes /metrics/plugins/gpucloud-platform-datasource of this Grafana, if there is one'
    )
    .type(grafanaMetrics.type!);

/** What the vendor's metrics begin with: what comes before the names of families that are known. */
export const prefix = () =>
  query('prefix', METRICS, 'metrics(.+_(vm|ib_port|sdisk|elb|slurm)_.+)')
    .regex('/^(.+?)_(?:vm|ib_port|sdisk|elb|slurm)_/')
    .description('What the metrics of this platform begin with, found among their names')
    .hide(VariableHide.HideVariable);

/** Where labels are looked up, a matcher of all names does. */
const GPU_SERIES = anywhere(EVERY_GPU);

/** Adds matchers to those of a selector, if it has any. */
const matching = (selector: string, matchers: string) =>
  selector.endsWith('}') ? `${selector.slice(0, -1)}, ${matchers}}` : `${selector}{${matchers}}`;

/** The values of a label, of which one, several or all are shown. */
export const several = (name: string, label: string, selector: string, of: string) =>
  all(query(name, LABEL_VALUES, `label_values(${selector}, ${of})`).label(label));

/** The values of a label, of which one is shown. */
export const one = (name: string, label: string, selector: string, of: string) =>
  query(name, LABEL_VALUES, `label_values(${selector}, ${of})`).label(label).multi(false).includeAll(false);

export const clusters = (metric = GPU_SERIES) => several('cluster', 'Cluster', metric, 'cluster_id');

const IN_CLUSTER = 'cluster_id=~"$cluster"';

/** One machine. Those of lists are called `machines`, so that the choice of all of them is not passed on to this one. */
export const machines = (metric: string) =>
  several('machines', 'Nodes', matching(metric, 'cluster_id=~"$cluster|"'), 'vm_name');
export const node = () => one('node', 'Node', matching(GPU_SERIES, IN_CLUSTER), '$host');

export const gpus = () => several('gpu', 'GPU', matching(GPU_SERIES, `${IN_CLUSTER}, $host=~"$node"`), 'gpu');

/** The values that a label has in a result. The last choice stands for a result without any. */
const found = (name: string, expr: string, regex: string) =>
  query(name, QUERY_RESULT, `query_result(${expr})`).regex(regex);

/** A value that is found for queries, and that nobody has to choose. */
export const hidden = (name: string, expr: string, regex: string, description: string) =>
  found(name, expr, regex).multi(false).includeAll(false).description(description).hide(VariableHide.HideVariable);

/** What a label is in the name of a series: `{…, vm_name="…"}`. */
export const labelIn = (label: string) => `/\\b${label}="([^"]+)"/`;

/** The label that names a node, hidden. */
export const host = (metric = GPU_SERIES) =>
  hidden('host', bestHostLabel(metric), labelIn('host'), 'The label that names most of the nodes');

/** The label of the machines' metrics that has the name of the chosen node: GPUs may name it by another. Hidden. */
export const machineHost = () => {
  const has = HOST_LABELS.map(
    (label) => `label_replace(count(${vendor('vm_memory_total_bytes')}{${label}=~"$node"}), "host", "${label}", "", "")`
  );
  const none = `label_replace(vector(0), "host", "${HOST_LABEL}", "", "")`;
  return hidden(
    'machine_host',
    [...has, none].join(' or on () '),
    labelIn('host'),
    'The label of machines that has the name of the chosen node'
  );
};

/** GPUs whose labels of pods are not those of the exporter. */
const OF_PODS = ['pod!=""', 'exported_pod=""', 'pod!~".*(dcgm|exporter).*"'];

/** The label of GPUs that has the namespace of a pod: renamed by a scrape without `honor_labels`, or as the exporter names it. Hidden. */
export const namespaceLabel = () => {
  const is = (label: string, expr: string) => `label_replace(${expr}, "label", "${label}", "", "")`;
  const ofPods = `count(${inCluster('DCGM_FI_DEV_FB_USED', 'namespace!=""', ...OF_PODS)})`;
  return hidden(
    'namespace_label',
    `${is('namespace', ofPods)} or on () ${is('exported_namespace', 'vector(0)')}`,
    labelIn('label'),
    'The label of GPUs that has the namespace of their pod'
  );
};

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
export const nodesWith = (name: string, findings: string, description: string, label?: string) =>
  all(
    found(
      name,
      `${findings} or on () label_replace(vector(0), "${label ?? HOST}", "${NOBODY}", "", "")`,
      label ? labelIn(label) : HOST_IN
    )
  )
    .allValue('')
    .description(description)
    .hide(VariableHide.HideVariable);

/**
 * Series with the end of the name of their node as a label: names are part of a query three dozen times, and VictoriaMetrics takes
 * 16 KiB. What is read by ends is of some nodes more, and of all if none could be found.
 */
export const endsOf = (expr: string): string => `label_replace(${expr}, "end", "$1", "${HOST}", ".*?(.{1,3})")`;

/**
 * What the utilization of the fleet is read from: the platform's rollups, a series a node, where every node with GPUs has one, or else
 * every GPU, under both names.
 */
export const load = (matcher = IN_CLUSTER) => {
  const nodes = (metric: string) => `group by (cluster_id, ${HOST}) (${metric}{${matcher}})`;
  const rollup = vendor('node:node_gpu_utilization:ratio_avg_1m');
  const without = `count(${nodes('DCGM_FI_DEV_FB_USED')} unless ${nodes(rollup)})`;
  const source = (expr: string, metric: string, scale: number) =>
    `label_replace(label_replace(${expr}, "metric", "${metric}", "", ""), "scale", "${scale}", "", "")`;
  const ofRollups = source(`(count(${nodes(rollup)}) unless ${without})`, rollup, 100);
  const best = `${ofRollups} or on () ${source('vector(0)', namesOf('DCGM_FI_DEV_GPU_UTIL').join('|'), 1)}`;
  return [
    hidden('load', best, labelIn('metric'), 'The metrics of utilization with fewest series'),
    hidden('load_scale', best, labelIn('scale'), 'What makes percents of it'),
  ];
};

/** The node pools of the jobs that are chosen, as their metadata names them. */
export const poolsOfJobs = () =>
  listed('pool', 'Node pool', {
    queryType: 'runLabels',
    source: { kind: 'fineTuning', jobIds: ['$job'], models: ['$model'] },
    label: 'node_pool',
    refId: 'Variable',
  })
    .description('The node pools of the chosen jobs')
    .hide(VariableHide.HideVariable);

/** Which part of a second DCGM's throttling counters count. */
export const throttlingUnit = () => {
  const units = [
    { text: 'nanoseconds', value: '1e9' },
    { text: 'microseconds', value: '1e6' },
  ];
  return inControlsMenu(picked('throttled_in', 'Throttling counted in', units)).description(
    'DCGM counts nanoseconds, which is all that more than a million a second can be. Some exporters count microseconds: then no share is above 0.1 % until it is said here'
  );
};

/** A value that the tuning gateway or the main API lists, or a run. */
const oneListed = (name: string, label: string, saved: TypedVariableQuery) =>
  new QueryVariableBuilder(name)
    .label(label)
    .datasource(dataSource)
    .query({ ...saved })
    .definition(saved.queryType)
    .refresh(VariableRefresh.OnTimeRangeChanged);

/** One, several or all of them. */
const listed = (...variable: Parameters<typeof oneListed>) =>
  oneListed(...variable)
    .multi(true)
    .includeAll(true)
    .current(ALL);

/** Of fine-tuning. What "all" means is left to the backend, so that "only in range" goes on counting. */
const tuning = (name: string, label: string, saved: TypedVariableQuery) =>
  listed(name, label, saved).allValue('$__all');

/** The ids of fine-tuning jobs of the model that is picked, shown with their names. */
export const jobs = () => tuning('job', 'Job', { queryType: 'fineTuningJobs', models: ['$model'], refId: 'Variable' });

export const models = () => tuning('model', 'Model', { queryType: 'fineTuningModels', refId: 'Variable' });

export const products = () => listed('product', 'Product', { queryType: 'capacityProducts', refId: 'Variable' });

/** What "all" means is left to the backend, which knows own nodes, too. */
export const locations = () =>
  listed('location', 'Location', { queryType: 'capacityLocations', refId: 'Variable' }).allValue('$__all');

/** Runs of the source that is picked. */
const ofSource: TypedVariableQuery = { queryType: 'runs', source: RUN_SOURCE, refId: 'Variable' };

/** The ids of runs, shown with their names, newest first. */
export const runs = () => listed('runs', 'Runs', ofSource).allValue('$__all');

/** One of them. */
export const oneRun = (name: string, label: string) => oneListed(name, label, ofSource).multi(false).includeAll(false);

/** A series for each pod that has GPUs. A scrape without `honor_labels` renames its labels. */
const podsWithGpus = (renamed: 'exported_' | ''): string => {
  const matchers = renamed ? ['exported_pod!=""'] : OF_PODS;
  return `group by (${renamed}namespace, ${renamed}pod) (DCGM_FI_DEV_FB_USED{${matchers.join(', ')}})`;
};

/** Where runs come from, and what they are. */
export const runSource = () => [
  picked('source', 'Runs from', [
    { text: 'Fine-tuning jobs', value: 'fineTuning' },
    { text: 'PromQL series', value: 'series' },
    { text: 'The time range shown', value: 'manual' },
  ]),
  picked('series', 'Series', [
    { text: 'Training loss', value: 'training_loss{metrics_source="custom-metrics"}' },
    { text: 'Slurm jobs', value: 'slurm_node_job' },
    { text: 'Pods with GPUs (label exported_pod)', value: podsWithGpus('exported_') },
    { text: 'Pods with GPUs (label pod)', value: podsWithGpus('') },
  ]).description('Of PromQL series: each label set is a run. Others can be typed in'),
  text(
    'by',
    'A run for each',
    'pod_name,nodepool_name,job_id,exported_namespace,exported_pod,namespace,pod'
  ).description('Of PromQL series: the labels that distinguish runs, of those that the series have'),
  text('matchers', 'GPUs of a run', '').description(
    'Label matchers: $ and the name of a label of the run stands for its value, and {} for all GPUs. Without any, the labels of the run, its pod or its Slurm job say which'
  ),
];

/** A comma separates values. */
const escaped = (text: string): string => text.replaceAll(',', '\\,');

/** One of a few values. */
const picked = (name: string, label: string, values: Array<{ text: string; value: string }>) =>
  new CustomVariableBuilder(name)
    .label(label)
    .values(values.map(({ text, value }) => `${escaped(text)} : ${escaped(value)}`).join(', '))
    .options(values)
    .current(values[0]);

/** A text or a number that is typed in. */
export const text = (name: string, label: string, initial: string) =>
  new TextBoxVariableBuilder(name).label(label).defaultValue(initial).current({ text: initial, value: initial });

/** What is changed seldom: it is in the menu of the dashboard's controls instead of above the panels. */
export const inControlsMenu = <B extends CustomVariableBuilder | TextBoxVariableBuilder | QueryVariableBuilder>(
  variable: B
): B => variable.hide(VariableHide.InControlsMenu) as B;
