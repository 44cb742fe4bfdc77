import { board } from '../lib/board.ts';
import { plain, STATUSES, type Look } from '../lib/display.ts';
import { CUSTOM, GOING_ON, JOBS } from '../lib/families.ts';
import { toJobOfFinding } from '../lib/links.ts';
import { graph, list } from '../lib/panels.ts';
import { range } from '../lib/queries.ts';
import { models, text } from '../lib/variables.ts';

/** Jobs that go on: only those can be stopped. */
const GOING = { statuses: ['running', 'paused'], models: ['$model'] };

/** As it is typed in, with its quotes. */
const SERIES = '${series:raw}';

const SEVERITIES: Look['words'] = {
  critical: { text: 'critical', color: 'red' },
  warning: { text: 'warning', color: 'orange' },
  info: { text: 'info', color: 'blue' },
  unknown: { text: 'not known', color: 'text' },
  ok: { text: 'ok', color: 'green' },
};

const FINDINGS: Look['words'] = {
  notFinite: { text: 'Not finite' },
  diverging: { text: 'Diverging' },
  stalled: { text: 'Stalled' },
  late: { text: 'Late' },
  overfitting: { text: 'Overfitting' },
  plateau: { text: 'Plateau' },
  spike: { text: 'Spike' },
  tooFewPoints: { text: 'Too few points' },
  healthy: { text: 'Healthy' },
};

const COLUMNS: Record<string, Look> = {
  severity: { title: 'Severity', width: 85, words: SEVERITIES, cell: 'color-text', steps: plain },
  finding: { title: 'Finding', width: 110, words: FINDINGS, cell: 'color-text', steps: plain },
  since: { title: 'Since', unit: 'dateTimeAsIso', width: 160 },
  until: { title: 'Until', unit: 'dateTimeAsIso', width: 160, absent: '–' },
  metric: { title: 'Metric', width: 115 },
  evidence: { title: 'Evidence', wrap: true, minWidth: 260 },
  advice: { title: 'What to do', wrap: true, minWidth: 180 },
  certainty: { title: 'How sure', width: 80 },
};

const FOUND =
  'Severe findings first. A run about which nothing was found has a row that says so, and how many points were looked at; one with too few points says that.';

const toStop = list({
  title: 'Which jobs to stop, and why',
  description: `Jobs that are running or paused. ${FOUND} Click a name to see the job.`,
  family: { ...GOING_ON, missing: 'no fine-tuning job is running or paused in this time range.' },
  width: 24,
  height: 10,
  queries: [{ queryType: 'trainingHealth', ...GOING, format: 'table' }],
  columns: { run: { title: 'Job', minWidth: 130, link: toJobOfFinding }, ...COLUMNS, job: { hidden: true } },
});

/** No estimate is better than that. */
const TO_THE_MINUTE = 'time:YYYY-MM-DD HH:mm';

const finish = list({
  title: 'When jobs finish',
  description:
    'By the steps that they report: the time left is the steps left times the usual time of a step, with the pauses that were usual so far. Nine of ten jobs finish between “Earliest” and “Latest”. “Behind” is how much later that is than the gateway’s own estimate. Where it isn’t known, “From” says why.',
  family: { ...GOING_ON, missing: 'no fine-tuning job is running or paused in this time range.' },
  width: 24,
  height: 8,
  queries: [{ queryType: 'trainingHealth', ...GOING, format: 'eta' }],
  columns: {
    run: { title: 'Job', minWidth: 130, link: toJobOfFinding },
    status: { title: 'Status', width: 85, words: STATUSES, cell: 'color-text', steps: plain },
    progress: { title: 'Progress', unit: 'percentunit', decimals: 0, min: 0, max: 1, cell: 'gauge', width: 160 },
    left: { title: 'Left', unit: 's', decimals: 1, width: 95 },
    eta: { title: 'Finishes', unit: TO_THE_MINUTE, width: 150 },
    earliest: { title: 'Earliest', unit: TO_THE_MINUTE, width: 150 },
    latest: { title: 'Latest', unit: TO_THE_MINUTE, width: 150 },
    estimated_finish: { title: 'Gateway says', unit: TO_THE_MINUTE, width: 150 },
    behind: { title: 'Behind', unit: 's', decimals: 1, width: 95 },
    seconds_per_step: { title: 'A step', unit: 's', decimals: 2, width: 80 },
    from: { title: 'From', wrap: true },
    job: { hidden: true },
  },
});

const losses = graph({
  title: 'Losses of these jobs',
  description:
    'Training and validation loss. A line is where a finding begins: red is critical, yellow a warning, blue for information.',
  family: JOBS,
  width: 24,
  height: 9,
  unit: 'none',
  queries: [{ queryType: 'fineTuningCurves', ...GOING, metrics: ['train_loss', 'valid_loss'], xAxis: 'time' }],
});

const ofSeries = list({
  title: 'Runs of the metric',
  description: `Each label set of the metric that is entered above is a run; a gap of ten minutes begins another. ${FOUND}`,
  family: CUSTOM,
  width: 24,
  height: 9,
  queries: [{ queryType: 'trainingHealth', expr: SERIES, format: 'table' }],
  columns: { run: { title: 'Run', wrap: true, minWidth: 200 }, status: { title: 'Status', width: 80 }, ...COLUMNS },
});

const metric = graph({
  title: 'The metric',
  description: 'What is entered above. A line is where a finding begins.',
  family: CUSTOM,
  width: 24,
  height: 9,
  unit: 'none',
  queries: [range(SERIES, '__auto')],
});

export const trainingHealth = () =>
  board({
    uid: 'gpucloud-training-health',
    title: 'Training health',
    description: 'Which training runs to stop first and why, and when the others finish.',
    from: 'now-24h',
    annotated: 'never',
    health: [
      { name: 'Findings about jobs', query: GOING, over: [losses] },
      { name: 'Findings about the metric', query: { expr: SERIES }, over: [metric] },
    ],
    variables: [
      models(),
      text('series', 'Metric', 'training_loss{metrics_source="custom-metrics"}').description(
        'PromQL. Each label set is a run. The name of the metric says whether lower or higher values are better'
      ),
    ],
    sections: [{ panels: [toStop, finish, losses] }, { title: 'Any metric of a workload', panels: [ofSeries, metric] }],
  });
