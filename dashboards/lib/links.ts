import { ALL_JOBS, JOB_LABELS } from './allocation.ts';
import { DATA_SOURCE_VARIABLE } from './dataSource.ts';
import { HIDDEN, type Variable } from './variables.ts';

/** Every dashboard of the plugin carries it; it is how they find each other. */
export const TAG = 'gpucloud';

const OVERVIEW = 'gpucloud-gpu-overview';

/** The other dashboards, with the time range and the variables: side by side on the overview, elsewhere in a menu. */
export const menuOf = (uid: string) => ({
  title: 'GPU Cloud',
  type: 'dashboards',
  tags: [TAG],
  asDropdown: uid !== OVERVIEW,
  includeVars: true,
  keepTime: true,
  icon: 'dashboard',
  tooltip: 'The other dashboards of GPU Cloud, with this time range and these variables',
  targetBlank: false,
  url: '',
});

/** The pages of documentation. */
export const DOCS = 'https://github.com/gpucloud/gpucloud-platform-datasource/blob/main/docs';

/** To what families of metrics need, with those that are not collected here: Grafana can't leave out what has nothing. */
export const toNeeds = {
  title: '$not_collected',
  type: 'link',
  tags: [],
  icon: 'question',
  tooltip: 'What each family of metrics needs',
  targetBlank: true,
  url: `${DOCS}/empty-panels.md#what-families-need`,
};

/** A link that a value carries. */
export interface DataLink {
  title: string;
  url: string;
  /** Follows the link at once, instead of offering it. */
  oneClick?: true;
}

interface Board {
  uid: string;
  templating: { list: Variable[] };
}

/** What people choose on a dashboard, by the names of the variables. */
const chosenOn = ({ templating }: Board): string[] =>
  templating.list.filter(({ type, hide }) => type !== 'datasource' && hide !== HIDDEN.hide).map(({ name }) => name);

/** Dashboards whose links to each other pass on every variable that both have, unless they set it. */
export function carrying<B extends Board>(boards: B[]): B[] {
  const takes = new Map(boards.map((board) => [board.uid, chosenOn(board)]));
  return boards.map((board) => {
    const has = chosenOn(board);
    const text = JSON.stringify(board).replaceAll(/"\/d\/([\w-]+)\?([^"]*)"/g, (_, uid: string, given: string) => {
      const more = takes.get(uid)!.filter((name) => has.includes(name) && !given.includes(`var-${name}=`));
      return `"/d/${uid}?${given}${more.map((name) => `&\${${name}:queryparam}`).join('')}"`;
    });
    return JSON.parse(text) as B;
  });
}

/** The time range that is shown. */
const SHOWN_TIME = ['${__url_time_range}'];

/** The time range of a row. */
const timeOf = (start: string): string[] => [
  `from=\${__data.fields.${start}.numeric}`,
  'to=${__data.fields.until.numeric}',
];

const to = (uid: string, title: string, variables: string[] = [], time = SHOWN_TIME): DataLink => ({
  title,
  url: `/d/${uid}?${[`\${${DATA_SOURCE_VARIABLE}:queryparam}`, ...time, ...variables].join('&')}`,
});

/** A variable that takes its value from a label of the series, or from a column of the row. */
const variable = (name: string, label: string, isTable = true): string =>
  `var-${name}=${isTable ? `\${__data.fields.${label}}` : `\${__field.labels.${label}}`}`;

const onNode = (title: string, isTable: boolean, name: string, gpu: string): DataLink =>
  to('gpucloud-node', title, [variable('cluster', 'cluster_id', isTable), variable('node', name, isTable), gpu]);

/**
 * To the node that a value belongs to: its series or row has the labels `cluster_id` and `node`, because clusters may have nodes of one
 * name.
 * @param isTable whether the value is a cell of a table, not a point of a series
 * @param name the column that has the node's name
 */
export const toNode = (isTable = false, name = 'node'): DataLink =>
  onNode('Show this node', isTable, name, 'var-gpu=$__all');

/** To the GPU that a value belongs to: its series or row has the labels `cluster_id`, `node` and `gpu`. */
export const toGpu = (isTable = false): DataLink =>
  onNode('Show this GPU', isTable, 'node', variable('gpu', 'gpu', isTable));

/** To the stragglers and faults of the chosen clusters. */
export const toFaults = to('gpucloud-stragglers', 'Show stragglers and faults');
export const toGpuTime = to('gpucloud-gpu-time', 'Show what GPU time goes into');
/** To the causes of the GPUs of a row's node over time, below. */
export const toGpusByCause = to('gpucloud-gpu-time', 'Show the GPUs of this node by cause, below', [
  variable('cluster', 'cluster_id'),
  variable('node', 'node'),
]);
/** To what a node pool is used for. */
export const toUsage = to('gpucloud-usage', 'Show usage and cost');

const job = (label: string, isTable = true): DataLink =>
  to('gpucloud-fine-tuning', 'Show this job', [variable('job', label, isTable), 'var-model=$__all']);

/** To the fine-tuning job of a row of findings, which have its id as the label `job`. */
export const toJobOfFinding = job('job');

/** To the fine-tuning job of a lane: its series has the label `job`. */
export const toJobOfLane: DataLink = { ...job('job', false), oneClick: true };

/** To the fine-tuning job of a row of results, with its own time. */
export const toJobInItsTime: DataLink = to(
  'gpucloud-fine-tuning',
  'Show this job, in its time',
  [variable('job', 'job_id'), 'var-model=$__all'],
  timeOf('created')
);

const RUNS = 'gpucloud-runs';

/** A run of a row alone: another baseline would be beside it. */
const ALONE = [variable('runs', 'run_id'), variable('baseline', 'run_id')];

/** To a run of a row, in its own time. */
export const toRun = to(RUNS, 'Show this run alone', ALONE, timeOf('start'));

/** To a job of Slurm as a run. */
export const toSlurmRun = to(RUNS, 'Show this run', [
  'var-source=series',
  `var-series=${encodeURIComponent(ALL_JOBS)}`,
  `var-by=${JOB_LABELS.join(',')}`,
  ...ALONE,
]);

/** To a fine-tuning job as a run, with the others to compare it with. */
export const toComparison = to(RUNS, 'Compare with…', [
  'var-source=fineTuning',
  variable('runs', 'job_id'),
  variable('baseline', 'job_id'),
]);

/** To a fine-tuning job as a run: its row has its id as a run. */
export const toRunOfJob = to(RUNS, 'Show this run', ['var-source=fineTuning', ...ALONE]);
