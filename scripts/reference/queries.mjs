import { slug } from 'github-slugger';
import { MEASURES } from '../../src/catalog/measures.ts';
import { RESULTS } from './columns.mjs';
import { code, table } from './markdown.mjs';
import { readTypes } from './queryTypes.mjs';

const INTRODUCTION = `<!-- Made from src/types.ts, the query.ts of src/runs, src/training and src/platform, and scripts/reference by \`npm run reference\`: change it there. -->

# Saved queries

The JSON of a query, as panels, alert rules and provisioning files hold it, and the columns of its result. You need it to provision dashboards and alert rules, and to write transformations.

- \`queryType\` decides which other fields there are. Without it, or with \`"metrics"\`, the query is PromQL, in the form of Grafana's Prometheus data source.
- Every query also has Grafana's own fields: \`refId\`, \`datasource\` and \`hide\`.
- All fields but those marked _required_ can be left out. An empty list means all.
- Every text can hold dashboard variables. In a list, a variable with several values becomes several entries. A list in which all entries are empty selects nothing, and the result has a notice.
- A value that is not known is null, never 0.
`;

/** A field that has no comment of its own in the types, or one of Grafana's Prometheus data source. */
const MEANINGS = {
  jobIds: 'Ids of jobs.',
  statuses: 'Statuses, for example `running`, in any letter case.',
  models: 'Base models.',
  levels: '`info`, `warn` or `error`.',
  purposes: 'Purposes of files, for example `fine-tune`.',
  productNames: 'Products, for example `h100.8x`.',
  locations: 'Locations, for example `us-east1-a`.',
  params: 'Query parameters: see below.',
  columns: 'Which members of the items are shown: see below. Every member that holds a single value if it is missing.',
  name: 'Its name.',
  kind: 'Where runs come from.',
  runs: 'The runs: see below.',
  from: 'When it began.',
};

/** The fields of PromQL queries that are those of Grafana's Prometheus data source and have an effect on the result. */
const OF_PROMETHEUS = [
  ['expr', '`string`', 'PromQL. _Required._'],
  ['range', '`boolean`', 'Runs a range query.'],
  ['instant', '`boolean`', 'Runs an instant query at the end of the range.'],
  ['format', '`"time_series" | "table" | "heatmap"`', '`time_series` if it is missing.'],
  ['legendFormat', '`string`', '`{{label}}` stands for the value of a label, `__auto` for the labels that differ.'],
  ['interval', '`string`', 'Shortest step, for example `5m`.'],
  ['intervalFactor', '`number`', 'Multiplies the step. 1 if it is missing.'],
  ['editorMode', '`"builder" | "code"`', 'Which editor opens.'],
];

const TITLES = {
  metrics: 'PromQL',
  fineTuningJobs: 'Fine-tuning jobs',
  fineTuningCheckpoints: 'Checkpoints',
  fineTuningCurves: 'Training curves',
  fineTuningEvents: 'Events of jobs',
  trainingFiles: 'Training files',
  fineTuningAnnotations: 'Annotations of jobs',
  trainingHealth: 'Training health',
  runComparison: 'Curves of runs',
  runs: 'Runs',
  runAnnotations: 'Annotations of runs',
  capacities: 'Capacities',
  placement: 'Placement of GPUs',
  platform: 'Lists of the main API',
};

const EXAMPLES = {
  metrics: { refId: 'A', expr: 'avg by (vm_name) (DCGM_FI_DEV_GPU_UTIL)', range: true, legendFormat: '{{vm_name}}' },
  fineTuningJobs: { refId: 'A', queryType: 'fineTuningJobs', statuses: ['running', 'failed'], format: 'table' },
  fineTuningCheckpoints: { refId: 'A', queryType: 'fineTuningCheckpoints', jobIds: ['$job'] },
  fineTuningCurves: { refId: 'A', queryType: 'fineTuningCurves', metrics: ['train_loss', 'valid_loss'], xAxis: 'step' },
  fineTuningEvents: { refId: 'A', queryType: 'fineTuningEvents', levels: ['warn', 'error'] },
  trainingFiles: { refId: 'A', queryType: 'trainingFiles', purposes: ['fine-tune'] },
  fineTuningAnnotations: { refId: 'Anno', queryType: 'fineTuningAnnotations', show: ['jobs', 'checkpoints'] },
  trainingHealth: { refId: 'A', queryType: 'trainingHealth', statuses: ['running'], format: 'table' },
  runComparison: {
    refId: 'A',
    queryType: 'runComparison',
    source: { kind: 'fineTuning' },
    runs: ['$run'],
    metric: 'train_loss',
    axis: 'elapsed',
  },
  runs: {
    refId: 'A',
    queryType: 'runs',
    source: { kind: 'series', expr: 'training_loss{metrics_source="custom-metrics"}', by: ['pod_name'] },
    selector: 'cluster_id="c-1"',
    measures: ['gpu_hours', 'utilization', 'cost'],
  },
  runAnnotations: { refId: 'Anno', queryType: 'runAnnotations', source: { kind: 'fineTuning' } },
  capacities: { refId: 'A', queryType: 'capacities', productNames: ['h100.8x'], format: 'number' },
  placement: { refId: 'A', queryType: 'placement', gpus: 64, types: ['h100'], format: 'table' },
  platform: {
    refId: 'A',
    queryType: 'platform',
    path: '/v1/projects/{projectId}/quotas',
    columns: [{ selector: 'name' }, { selector: 'used', type: 'number' }],
  },
};

const services = [
  readTypes('src/types.ts'),
  readTypes('src/runs/query.ts'),
  readTypes('src/training/query.ts'),
  readTypes('src/platform/query.ts'),
];
const fieldsOf = (name) => services.flatMap(({ fieldsOf }) => fieldsOf(name));

/** @returns {string} The page on saved queries, in Markdown. */
export function queriesPage() {
  const types = new Map([['metrics', 'MetricsQuery'], ...services.flatMap(({ queryTypes }) => [...queryTypes()])]);
  const missing = [...types.keys()].filter((type) => !(RESULTS[type] && TITLES[type] && EXAMPLES[type]));
  if (missing.length > 0) {
    throw new Error(`scripts/reference does not describe the results of ${missing.join(', ')}.`);
  }
  return [INTRODUCTION, overview(types), ...[...types].map(([type, name]) => section(type, name))].join('\n');
}

function overview(types) {
  const rows = [...types.keys()].map((type) => [code(type), `[${TITLES[type]}](#${slug(TITLES[type])})`]);
  return `${table(['`queryType`', 'Query'], rows)}\n`;
}

function section(type, name) {
  const fields = [...(type === 'metrics' ? OF_PROMETHEUS : []), ...fieldsOf(name).map(row)];
  return [
    `## ${TITLES[type]}\n`,
    `\`\`\`json\n${JSON.stringify(EXAMPLES[type])}\n\`\`\`\n`,
    fieldTable(fields),
    ...(PARTS[type] ?? []).map(([what, name]) => `${what}:\n\n${fieldTable(fieldsOf(name).map(row))}`),
    ...(type === 'runs' ? [measures()] : []),
    ...RESULTS[type].map((result) => shown(type, result)),
  ].join('\n');
}

/** The objects that options of a type hold. */
const PARTS = {
  platform: [
    ['Each entry of `params`', 'Param'],
    ['Each entry of `columns`', 'Column'],
  ],
  runs: [
    ['`source`, if its `kind` is `fineTuning`', 'FineTuningRuns'],
    ['`source`, if its `kind` is `series`', 'SeriesRuns'],
    ['`source`, if its `kind` is `manual`', 'ManualRuns'],
    ['Each entry of its `runs`', 'ManualRun'],
    ['Each entry of `custom`', 'CustomMeasure'],
  ],
};

function measures() {
  const rows = MEASURES.map(({ id, label, unit = '', description }) => [code(id), label, unit, `${description}.`]);
  return `The measures, each a column with its unit:\n\n${table(['Measure', 'In the editor', 'Unit', 'Meaning'], rows)}\n`;
}

const fieldTable = (rows) =>
  `${table(
    ['Field', 'Type', 'Meaning'],
    rows.map(([name, ...rest]) => [code(name), ...rest])
  )}\n`;

function row({ name, type, isOptional, comment }) {
  const meaning = comment && comment !== 'All if it is missing.' ? comment : MEANINGS[name];
  if (!meaning) {
    throw new Error(`The field ${name} has neither a comment nor a meaning in scripts/reference/queries.mjs.`);
  }
  return [name, code(type), isOptional ? meaning : `${meaning} _Required._`];
}

function shown(type, { format, option = 'format', frame, columns }) {
  const title = format ? `${TITLES[type]}: \`${option}\` \`${format}\`` : `${TITLES[type]}: result`;
  const rows = columns.map(([name, ...rest]) => [code(name), ...rest]);
  return `### ${title}\n\n${frame}\n\n${table(['Column', 'Values', 'Meaning'], rows)}\n`;
}
