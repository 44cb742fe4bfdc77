import { RESULTS } from './columns.mjs';
import { code, table } from './markdown.mjs';
import { readTypes } from './queryTypes.mjs';

const INTRODUCTION = `<!-- Made from src/types.ts, src/platform/query.ts and scripts/reference by \`npm run reference\`: change it there. -->

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
  name: 'Name of the parameter.',
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
  capacities: 'Capacities',
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
  capacities: { refId: 'A', queryType: 'capacities', productNames: ['h100.8x'], format: 'number' },
  platform: {
    refId: 'A',
    queryType: 'platform',
    path: '/v1/projects/{projectId}/quotas',
    columns: [{ selector: 'name' }, { selector: 'used', type: 'number' }],
  },
};

const services = [readTypes('src/types.ts'), readTypes('src/platform/query.ts')];
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
  const rows = [...types.keys()].map((type) => [code(type), `[${TITLES[type]}](#${anchor(TITLES[type])})`]);
  return `${table(['`queryType`', 'Query'], rows)}\n`;
}

const anchor = (title) => title.toLowerCase().replaceAll(' ', '-');

function section(type, name) {
  const fields = [...(type === 'metrics' ? OF_PROMETHEUS : []), ...fieldsOf(name).map(row)];
  return [
    `## ${TITLES[type]}\n`,
    `\`\`\`json\n${JSON.stringify(EXAMPLES[type])}\n\`\`\`\n`,
    fieldTable(fields),
    ...(type === 'platform' ? parts() : []),
    ...RESULTS[type].map((result) => shown(type, result)),
  ].join('\n');
}

/** The objects that a list's parameters and columns are. */
function parts() {
  return ['Param', 'Column'].map((name) => {
    const list = { Param: 'params', Column: 'columns' }[name];
    return `Each entry of \`${list}\`:\n\n${fieldTable(fieldsOf(name).map(row))}`;
  });
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
