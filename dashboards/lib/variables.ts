import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  TextBoxVariableBuilder,
  VariableHide,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { anywhere, HOST, inCluster, onNode } from './promql.ts';
import { fleet, fleetOn, stragglers } from './stragglers.ts';
import type { PlatformVariableQuery } from '../../src/platform/query.ts';
import type { RunVariableQuery } from '../../src/runs/query.ts';
import type { FineTuningVariableQuery } from '../../src/types.ts';
import { RUN_SOURCE } from './runs.ts';
import { DATA_SOURCE_VARIABLE, dataSource, GRAFANA_METRICS_VARIABLE, grafanaMetrics, PLUGIN_ID } from './dataSource.ts';

/** Marks the saved query of a variable of Grafana's Prometheus data source, whose shape this plugin's have, too. */
const REF_ID = 'PrometheusVariableQueryEditor-VariableQuery';

/** The kinds of a variable's query, as they are saved. */
const LABEL_NAMES = 0;
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

/** Every GPU has it. Where labels are looked up, a matcher of all names does. */
const GPU_UTIL = anywhere('DCGM_FI_DEV_GPU_UTIL');

/** Adds matchers to those of a selector, if it has any. */
const matching = (selector: string, matchers: string) =>
  selector.endsWith('}') ? `${selector.slice(0, -1)}, ${matchers}}` : `${selector}{${matchers}}`;

/**
 * The label that names a node: `vm_name` is the better name, `instance` is always there. Names that contain the metric's
 * are looked up, and so is the other name of this one.
 */
export const host = (metric = 'DCGM_FI_DEV_GPU_UTIL') =>
  query('host', LABEL_NAMES, `label_names(${metric})`)
    .regex('/^(vm_name|instance)$/')
    .sort(VariableSort.AlphabeticalDesc)
    .description('The label that names a node')
    .hide(VariableHide.HideVariable);

/** The values of a label, of which one, several or all are shown. */
export const several = (name: string, label: string, selector: string, of: string) =>
  all(query(name, LABEL_VALUES, `label_values(${selector}, ${of})`).label(label));

/** The values of a label, of which one is shown. */
export const one = (name: string, label: string, selector: string, of: string) =>
  query(name, LABEL_VALUES, `label_values(${selector}, ${of})`).label(label).multi(false).includeAll(false);

export const clusters = (metric = GPU_UTIL) => several('cluster', 'Cluster', metric, 'cluster_id');

const IN_CLUSTER = 'cluster_id=~"$cluster"';

export const nodes = (metric: string) => several('node', 'Node', matching(metric, IN_CLUSTER), '$host');
export const node = () => one('node', 'Node', matching(GPU_UTIL, IN_CLUSTER), '$host');

export const gpu = () => one('gpu', 'GPU', matching(GPU_UTIL, `${IN_CLUSTER}, $host=~"$node"`), 'gpu');

/** The values that a label has in a result. The last choice stands for a result without any. */
const found = (name: string, expr: string, regex: string) =>
  query(name, QUERY_RESULT, `query_result(${expr})`).regex(regex);

/** A hidden number. */
export const number = (name: string, expr: string, description: string) =>
  found(name, expr, String.raw`/\} (\d+) /`)
    .multi(false)
    .includeAll(false)
    .description(description)
    .hide(VariableHide.HideVariable);

const GPUS = inCluster('DCGM_FI_DEV_GPU_UTIL');

/**
 * The resolution of queries that evaluate every GPU over the time range, in seconds: a minute, or on large fleets and over long
 * ranges as much as keeps them to 200,000 evaluations of a GPU, and small fleets to 3,300 points. From two minutes on it is no whole
 * number of minutes: that would find what jobs do at regular times always or never.
 */
export const resolution = () =>
  number(
    'resolution',
    `61 * ceil(clamp_min(count(${GPUS}), 60) * $__range_s / 12e6) - 1 or on () vector(60)`,
    'Seconds between two evaluations of every GPU'
  );

/** What a label of a name of a series is: `{…, vm_name="…"}`. */
const labelIn = (label: string) => `/\\b${label}="([^"]+)"/`;
const HOST_IN = labelIn('(?:vm_name|instance)');

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

/** Nodes with GPUs that are slower than their peers, at most ten. */
export const suspects = () =>
  nodesWith(
    'suspects',
    `topk(10, count by (${HOST}) (${stragglers(fleet)}))`,
    'Nodes with GPUs that are slower than their peers'
  );

/** A node with a suspect, or any if there is none. */
export const nodeOfSuspect = () => {
  const busy = `count by (${HOST}) (${inCluster('DCGM_FI_DEV_GPU_UTIL', `${HOST}=~"$suspects"`)})`;
  return found('node', `${busy} or on () topk(50, count by (${HOST}) (${inCluster('DCGM_FI_DEV_GPU_UTIL')}))`, HOST_IN)
    .label('Node')
    .multi(false)
    .includeAll(false);
};

/** The slow GPU of a node, or any if there is none. */
export const gpuOfSuspect = () =>
  found(
    'gpu',
    `${stragglers(fleetOn('$node'))} or on () max by (gpu) (${onNode('DCGM_FI_DEV_GPU_UTIL')})`,
    labelIn('gpu')
  )
    .label('GPU')
    .multi(false)
    .includeAll(false);

/** Node pools that have GPUs, and the nodes in those that are picked. */
export const pools = () => several('pool', 'Node pool', GPU_UTIL, 'nodepool_name');
export const nodesOfPools = () => several('node', 'Node', matching(GPU_UTIL, 'nodepool_name=~"$pool"'), '$host');

/** Which part of a second DCGM's throttling counters count. */
export const throttlingUnit = () => {
  const units = [
    { text: 'nanoseconds', value: '1e9' },
    { text: 'microseconds', value: '1e6' },
  ];
  return inControlsMenu(picked('throttled_in', 'Throttling counted in', units)).description(
    'DCGM counts nanoseconds. Some exporters count microseconds: then no share is above 0.1 % until it is said here'
  );
};

/** A value that the tuning gateway or the main API lists, or a run. */
const oneListed = (
  name: string,
  label: string,
  saved: FineTuningVariableQuery | RunVariableQuery | PlatformVariableQuery
) =>
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
const tuning = (name: string, label: string, saved: FineTuningVariableQuery) =>
  listed(name, label, saved).allValue('$__all');

/** The ids of fine-tuning jobs with the status and model that are picked, shown with their names. */
export const jobs = () =>
  tuning('job', 'Job', { queryType: 'fineTuningJobs', statuses: ['$status'], models: ['$model'], refId: 'Variable' });

export const statuses = () => tuning('status', 'Status', { queryType: 'fineTuningStatuses', refId: 'Variable' });

export const models = () => tuning('model', 'Model', { queryType: 'fineTuningModels', refId: 'Variable' });

export const products = () => listed('product', 'Product', { queryType: 'capacityProducts', refId: 'Variable' });

export const locations = () =>
  listed('location', 'Location', { queryType: 'capacityLocations', productNames: ['$product'], refId: 'Variable' });

/** GPU types: products without their number of GPUs. What "all" means is left to the backend, which knows own nodes, too. */
export const gpuTypes = () =>
  listed('gpu_type', 'GPU type', { queryType: 'capacityProducts', refId: 'Variable' })
    .regex('/^(.+?)[._-]?\\d+x$/')
    .allValue('$__all');

export const anyLocation = () =>
  listed('location', 'Location', { queryType: 'capacityLocations', refId: 'Variable' }).allValue('$__all');

/** Runs of the source that is picked. */
const ofSource: RunVariableQuery = { queryType: 'runs', source: RUN_SOURCE, refId: 'Variable' };

/** The ids of runs, shown with their names, newest first. */
export const runs = () => listed('runs', 'Runs', ofSource).allValue('$__all');

/** One of them. */
export const oneRun = (name: string, label: string) => oneListed(name, label, ofSource).multi(false).includeAll(false);

/** The run that is picked, if it is a fine-tuning job. A run of series is none, so that panels of jobs have nothing to show. */
export const jobOfRun = () =>
  oneListed('job', 'Job', { queryType: 'fineTuningJobs', refId: 'Variable' })
    .multi(false)
    .includeAll(false)
    .regex('/^(${runs:regex})$/')
    .hide(VariableHide.HideVariable);

/** Where runs come from, and what they are. */
export const runSource = () => [
  picked('source', 'Runs from', [
    { text: 'Fine-tuning jobs', value: 'fineTuning' },
    { text: 'PromQL series', value: 'series' },
  ]),
  text('series', 'Series', 'training_loss{metrics_source="custom-metrics"}').description(
    'Of PromQL series: each label set is a run'
  ),
  text('by', 'A run for each', 'pod_name,nodepool_name').description(
    'Of PromQL series: the labels that distinguish runs'
  ),
  text('matchers', 'GPUs of a run', 'nodepool_name="$nodepool_name"').description(
    'Label matchers. $ and the name of a label of the run stands for its value. Without any, all GPUs during the run'
  ),
];

/** One of a few values. */
const picked = (name: string, label: string, values: Array<{ text: string; value: string }>) =>
  new CustomVariableBuilder(name)
    .label(label)
    .values(values.map(({ text, value }) => `${text} : ${value}`).join(', '))
    .options(values)
    .current(values[0]);

/** A text or a number that is typed in. */
export const text = (name: string, label: string, initial: string) =>
  new TextBoxVariableBuilder(name).label(label).defaultValue(initial).current({ text: initial, value: initial });

/** What is changed seldom: it is in the menu of the dashboard's controls instead of above the panels. */
export const inControlsMenu = <B extends CustomVariableBuilder | TextBoxVariableBuilder>(variable: B): B =>
  variable.hide(VariableHide.InControlsMenu) as B;
