import { DashboardLinkBuilder, DashboardLinkType } from '@grafana/grafana-foundation-sdk/dashboard';
import { DATA_SOURCE_VARIABLE } from './dataSource.ts';

/** Every dashboard of the plugin carries it; it is how they find each other. */
export const TAG = 'gpucloud';

/** The other dashboards, in a menu that keeps the time range and the variables. */
export const otherDashboards = new DashboardLinkBuilder('GPU Cloud')
  .type(DashboardLinkType.Dashboards)
  .tags([TAG])
  .asDropdown(true)
  .includeVars(true)
  .keepTime(true)
  .icon('dashboard')
  .tooltip('The other dashboards of GPU Cloud, with this time range and these variables')
  .targetBlank(false)
  .url('');

/** A link that a value carries. */
export interface DataLink {
  title: string;
  url: string;
  /** Follows the link at once, instead of offering it. */
  oneClick?: true;
}

/** The time range that is shown. */
const SHOWN_TIME = ['${__url_time_range}'];

/** The time range of a row. */
const timeOf = (start: string): string[] => [
  `from=\${__data.fields.${start}.numeric}`,
  'to=${__data.fields.until.numeric}',
];

const to = (uid: string, variables: string[], time = SHOWN_TIME): string =>
  `/d/${uid}?${[`\${${DATA_SOURCE_VARIABLE}:queryparam}`, ...variables, ...time].join('&')}`;

/** A variable that takes its value from a label of the series, or from a column of the row. */
const variable = (name: string, label: string, isTable = true): string =>
  `var-${name}=${isTable ? `\${__data.fields.${label}}` : `\${__field.labels.${label}}`}`;

/**
 * To the node that a value belongs to: its series or row has the label `node`.
 * @param isTable whether the value is a cell of a table, not a point of a series
 */
export const toNode = (isTable = false): DataLink => ({
  title: 'Show this node',
  url: to('gpucloud-node', ['${cluster:queryparam}', variable('node', 'node', isTable)]),
});

/** To a node of a run: its row has the labels `cluster_id` and `node`. */
export const toNodeOfRun: DataLink = {
  title: 'Show this node',
  url: to('gpucloud-node', [variable('cluster', 'cluster_id'), variable('node', 'node')]),
};

/** To the GPU that a value belongs to: its series or row has the labels `node` and `gpu`. */
export const toGpu = (isTable = false): DataLink => ({
  title: 'Show this GPU',
  url: to('gpucloud-gpu', [
    '${cluster:queryparam}',
    variable('node', 'node', isTable),
    variable('gpu', 'gpu', isTable),
  ]),
});

const job = (label: string, isTable = true): DataLink => ({
  title: 'Show this job',
  url: to('gpucloud-fine-tuning', [variable('job', label, isTable)]),
});

/** To the fine-tuning job of a row. */
export const toJob = job('job_id');

/** To the fine-tuning job of a row of findings, which have its id as the label `job`. */
export const toJobOfFinding = job('job');

/** To the fine-tuning job of a lane: its series has the label `job`. */
export const toJobOfLane: DataLink = { ...job('job', false), oneClick: true };

/** To the fine-tuning job of a row of results, with its own time and node pool. */
export const toJobAndItsNodes: DataLink = {
  title: 'Show this job, its time and its node pool',
  url: to('gpucloud-fine-tuning', [variable('job', 'job_id'), variable('pool', 'node_pool')], timeOf('created')),
};

/** Where runs come from, as the dashboards about runs pass it on to each other. */
const RUN_SOURCE = ['source', 'series', 'by', 'matchers'].map((name) => `\${${name}:queryparam}`);

/** To the report of a run of a row. */
export const toReport: DataLink = {
  title: 'Show the report of this run',
  url: to('gpucloud-run-report', [...RUN_SOURCE, variable('runs', 'run_id')], timeOf('start')),
};

/** To a comparison in which a run is chosen, and the baseline. */
const comparison = (id: string, ...source: string[]): DataLink => ({
  title: 'Compare with…',
  url: to('gpucloud-run-comparison', [...source, variable('runs', id), variable('baseline', id)]),
});

/** To the comparison of a fine-tuning job with others. */
export const toComparison = comparison('job_id', 'var-source=fineTuning');

/** To the comparison of the run of a report. */
export const toComparisonOfRun = comparison('run_id', ...RUN_SOURCE);
