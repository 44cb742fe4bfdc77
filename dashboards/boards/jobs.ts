import { board } from '../lib/board.ts';
import { LEVELS, STATUSES, type Look } from '../lib/display.ts';
import { GOING_ON, JOBS } from '../lib/missing.ts';
import { jobsThatGoOn, TO_THE_MINUTE } from '../lib/jobsThatGoOn.ts';
import { toComparison, toJobInItsTime, toJobOfFinding, toJobOfLane } from '../lib/links.ts';
import { graph, list, states } from '../lib/panels.ts';
import { inSteps, poolOfJobs } from '../lib/quantities.ts';
import { range } from '../lib/queries.ts';
import { jobs as jobVariable, models, poolsOfJobs } from '../lib/variables.ts';

const CHOSEN = { jobIds: ['$job'], models: ['$model'] };

/** Only those can be stopped. */
const GOING = { jobIds: ['$job'], statuses: ['running', 'paused'], models: ['$model'] };

const goingOn = jobsThatGoOn({
  filters: GOING,
  title: 'Jobs that go on, and when they finish',
  description:
    'By the steps that they report: the time left is the steps left times the mean time of a step, with pauses, and what other jobs took after their last step. Nine of ten jobs finish between “Earliest” and “Latest”. “Lost if it fails now” is the time of the steps since the last checkpoint or restart, or since the start, without pauses. Where the finish isn’t known, “From” says why.',
  height: 7,
  further: {
    earliest: { title: 'Earliest', unit: TO_THE_MINUTE, width: 140 },
    latest: { title: 'Latest', unit: TO_THE_MINUTE, width: 140 },
    since_checkpoint: { title: 'Lost if it fails now', unit: 's', decimals: 1, width: 145, absent: '–' },
    seconds_per_step: { title: 'A step', unit: 's', decimals: 2, width: 70 },
    from: { title: 'From', wrap: true },
  },
});

const SEVERITIES: Look['words'] = {
  critical: { text: 'critical', color: 'red' },
  warning: { text: 'warning', color: 'orange' },
  unknown: { text: 'not known', color: 'text' },
  ok: { text: 'ok', color: 'green' },
};

const FINDINGS: Look['words'] = {
  notFinite: { text: 'Not finite' },
  diverging: { text: 'Diverging' },
  stalled: { text: 'Stalled' },
  late: { text: 'Late' },
  overfitting: { text: 'Overfitting' },
  tooFewPoints: { text: 'Too few points' },
  healthy: { text: 'Healthy' },
};

const findings = list({
  title: 'Which jobs to stop, and why',
  description:
    'Jobs that are running or paused, severe findings first. A job about which nothing was found has a row that says so, and how many points were looked at; one with too few points says that. Click a name to see the job alone.',
  missing: GOING_ON,
  height: 9,
  queries: [{ queryType: 'trainingHealth', ...GOING, format: 'table' }],
  columns: {
    run: { title: 'Job', width: 150, link: toJobOfFinding },
    severity: { title: 'Severity', width: 85, words: SEVERITIES, cell: 'color-text' },
    finding: { title: 'Finding', width: 115, words: FINDINGS, cell: 'color-text' },
    since: { title: 'Since', unit: 'dateTimeAsIso', width: 160 },
    metric: { title: 'Metric', width: 115 },
    evidence: { title: 'Evidence', wrap: true, minWidth: 260 },
    advice: { title: 'What to do', wrap: true, minWidth: 180 },
    certainty: { title: 'How sure', width: 80 },
    job: { hidden: true },
  },
});

const outcomes = list({
  title: 'Results of jobs',
  description:
    'Each job with its error, failed jobs first, then those that reported last. Their losses are below. Click a name to see the job alone, over its own time.',
  missing: JOBS,
  height: 10,
  queries: [{ queryType: 'fineTuningJobs', format: 'table', ...CHOSEN }],
  columns: {
    name: { title: 'Job', width: 150, link: toJobInItsTime, wrap: true },
    status: { title: 'Status', width: 120, words: STATUSES, cell: 'color-text' },
    error: { title: 'Error', wrap: true, minWidth: 205, absent: '–' },
    last_report: { title: 'Last report', width: 165 },
    model: { title: 'Model', width: 265 },
    run_time: { title: 'Ran', unit: 's', decimals: 1, width: 85 },
    node_pool: { title: 'Node pool', width: 110, absent: '–' },
    job_id: { hidden: true },
    created: { hidden: true },
    until: { title: 'Compare', width: 115, text: 'Compare with…', link: toComparison },
  },
  sortBy: ['Error', 'Last report'],
});

const losses = graph({
  title: 'Losses',
  description:
    'Training and validation loss, from live metrics where the platform has them, else from checkpoints. The axis goes by factors, so that one that diverges does not flatten the others; it leaves out what is not above 0. A line is where a finding begins: red is critical, yellow a warning, blue for information.',
  missing: JOBS,
  isByFactors: true,
  unit: 'none',
  legend: 'table',
  queries: [{ queryType: 'fineTuningCurves', ...CHOSEN, metrics: ['train_loss', 'valid_loss'] }],
});

const load = graph({
  title: 'Utilization of their node pools meanwhile, mean',
  description:
    'Over the GPUs of the node pools that the metadata of the chosen jobs names, with jobs and checkpoints drawn over it: a dip at a dashed line is a checkpoint being written. The rows below are the same jobs. Jobs and GPUs are joined by time and pool, not by a label of the GPUs.',
  missing: 'no chosen job names its node pool, or no GPU of it has samples.',
  stepsInRange: 120,
  height: 7,
  unit: 'percent',
  max: 100,
  legend: 'table',
  queries: [range(inSteps('utilization', poolOfJobs, 'nodepool_name'), '{{nodepool_name}}')],
});

/** Below the chart that jobs are drawn over, it distinguishes them. */
const timeline = states({
  title: 'Timeline',
  description:
    'A row for each job, as long as the job took; how it ended is beside its name. Newest first, 100 at most. Where no row runs, no job did. Click a row to see its job.',
  missing: JOBS,
  height: 10,
  words: STATUSES,
  link: toJobOfLane,
  queries: [{ queryType: 'fineTuningJobs', format: 'timeline', ...CHOSEN }],
});

const events = list({
  title: 'Events',
  description: 'What the chosen jobs reported, newest first.',
  missing: 'the chosen jobs reported nothing in this time range.',
  height: 10,
  queries: [{ queryType: 'fineTuningEvents', ...CHOSEN }],
  columns: {
    timestamp: { title: 'Time', width: 165 },
    name: { title: 'Job', width: 150 },
    severity: { title: 'Level', width: 70, words: LEVELS, cell: 'color-text' },
    body: { title: 'Event', wrap: true },
  },
});

export const jobs = board({
  uid: 'gpucloud-fine-tuning',
  title: 'Jobs',
  question: 'Which jobs fail, finish, stop?',
  description: 'Fine-tuning jobs: going on, ended and why, findings, losses and the load of their GPUs.',
  from: 'now-24h',
  annotations: [
    {
      name: 'Fine-tuning jobs and checkpoints',
      query: { refId: 'Anno', queryType: 'fineTuningAnnotations', ...CHOSEN, show: ['jobs', 'checkpoints'] },
      over: load,
    },
    {
      name: 'Findings about jobs',
      query: { refId: 'Anno', queryType: 'trainingHealth', ...GOING, format: 'annotations' },
      over: losses,
    },
  ],
  variables: [models(), jobVariable(), poolsOfJobs()],
  sections: [{ panels: [goingOn, findings, outcomes, losses, load, timeline, events] }],
});
