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

const to = (uid: string, variables: string[]): string =>
  `/d/${uid}?${[`\${${DATA_SOURCE_VARIABLE}:queryparam}`, ...variables, '${__url_time_range}'].join('&')}`;

/**
 * To the node that a value belongs to: its series or row has the label `node`.
 * @param isTable whether the value is a cell of a table, not a point of a series
 */
export const toNode = (isTable = false): DataLink => ({
  title: 'Show this node',
  url: to('gpucloud-node', ['${cluster:queryparam}', `var-node=${of('node', isTable)}`]),
});

/** To the GPU that a value belongs to: its series or row has the labels `node` and `gpu`. */
export const toGpu = (isTable = false): DataLink => ({
  title: 'Show this GPU',
  url: to('gpucloud-gpu', [
    '${cluster:queryparam}',
    `var-node=${of('node', isTable)}`,
    `var-gpu=${of('gpu', isTable)}`,
  ]),
});

/** To the fine-tuning job of a row. */
export const toJob: DataLink = {
  title: 'Show this job',
  url: to('gpucloud-fine-tuning', [`var-job=${of('job_id', true)}`]),
};

/** To the fine-tuning job of a row of findings, which have its id as the label `job`. */
export const toJobOfFinding: DataLink = {
  title: 'Show this job',
  url: to('gpucloud-fine-tuning', [`var-job=${of('job', true)}`]),
};

/** To the fine-tuning job of a lane: its series has the label `job`. */
export const toJobOfLane: DataLink = {
  title: 'Show this job',
  url: to('gpucloud-fine-tuning', [`var-job=${of('job', false)}`]),
  oneClick: true,
};

/** To the fine-tuning job of a row of results, with its own time and node pool. */
export const toJobAndItsNodes: DataLink = {
  title: 'Show this job, its time and its node pool',
  url: `/d/gpucloud-fine-tuning?${[
    `\${${DATA_SOURCE_VARIABLE}:queryparam}`,
    `var-job=${of('job_id', true)}`,
    `var-pool=${of('node_pool', true)}`,
    'from=${__data.fields.created.numeric}',
    'to=${__data.fields.until.numeric}',
  ].join('&')}`,
};

function of(label: string, isTable: boolean): string {
  return isTable ? `\${__data.fields.${label}}` : `\${__field.labels.${label}}`;
}

/** Where runs come from, as the dashboards about runs pass it on to each other. */
const RUN_SOURCE = ['source', 'series', 'by', 'matchers'].map((name) => `\${${name}:queryparam}`);

/** To the comparison of a fine-tuning job with others: it is chosen, and the baseline. */
export const toComparison: DataLink = {
  title: 'Compare with…',
  url: to('gpucloud-run-comparison', [
    'var-source=fineTuning',
    `var-runs=${of('job_id', true)}`,
    `var-baseline=${of('job_id', true)}`,
  ]),
};

/** To the report of a run of a row. */
export const toReport: DataLink = {
  title: 'Show the report of this run',
  url: `/d/gpucloud-run-report?${[
    `\${${DATA_SOURCE_VARIABLE}:queryparam}`,
    ...RUN_SOURCE,
    `var-runs=${of('run_id', true)}`,
    'from=${__data.fields.start.numeric}',
    'to=${__data.fields.until.numeric}',
  ].join('&')}`,
};

/** To the comparison of the run of a report. */
export const toComparisonOfRun: DataLink = {
  title: 'Compare with…',
  url: to('gpucloud-run-comparison', [
    ...RUN_SOURCE,
    `var-runs=${of('run_id', true)}`,
    `var-baseline=${of('run_id', true)}`,
  ]),
};

/** To a node of a run: its row has the labels `cluster_id` and `node`. */
export const toNodeOfRun: DataLink = {
  title: 'Show this node',
  url: to('gpucloud-node', [`var-cluster=${of('cluster_id', true)}`, `var-node=${of('node', true)}`]),
};
