import { board } from '../lib/board.ts';
import { LEVELS, plain, POOL, STATUSES, type Look } from '../lib/display.ts';
import { GPU, JOBS } from '../lib/families.ts';
import { toComparison, toJob, toJobAndItsNodes } from '../lib/links.ts';
import { bars, curves, graph, lanes, list } from '../lib/panels.ts';
import { fleetAverage, HOST, onPool, throttled, withNode } from '../lib/promql.ts';
import { range, type Query } from '../lib/queries.ts';
import { host, jobs, models, nodesOfPools, pools, statuses, throttlingUnit } from '../lib/variables.ts';

const CHOSEN = { jobIds: ['$job'], statuses: ['$status'], models: ['$model'] };

const counts = bars({
  title: 'Jobs by status and model',
  description: 'How many jobs of each model were in each state, in the time range.',
  family: JOBS,
  width: 10,
  height: 10,
  unit: 'none',
  min: 0,
  queries: [{ queryType: 'fineTuningJobs', format: 'count', ...CHOSEN }],
});

const jobLanes = lanes('Timeline', CHOSEN);

/** What links from a job's row pass on, without being shown. */
const PASSED_ON: Record<string, Look> = {
  job_id: { hidden: true },
  created: { hidden: true },
  until: { hidden: true },
};

const RESULTS: Query[] = [{ queryType: 'fineTuningJobs', format: 'results', ...CHOSEN }];

const LOSS: Record<string, Look> = {
  valid_loss: { title: 'Validation loss', decimals: 3, width: 115 },
  train_loss: { title: 'Training loss', decimals: 3, width: 105 },
};

const outcomes = list({
  title: 'How jobs ended',
  description:
    'Each job with its error and its last losses, failed jobs first, then the newest. GPU-hours are the GPUs that the job’s metadata names, times its run time; a dash where it names none, as the sign beside the title says. Click a name to see the job alone, over its own time, with the nodes of its pool.',
  family: JOBS,
  width: 24,
  height: 10,
  queries: RESULTS,
  columns: {
    name: { title: 'Job', width: 150, link: toJobAndItsNodes },
    status: { title: 'Status', width: 110, words: STATUSES, cell: 'color-text', steps: plain },
    error: { title: 'Error', wrap: true, minWidth: 240, absent: '–' },
    ...LOSS,
    run_time: { title: 'Ran', unit: 's', decimals: 1, width: 85 },
    gpu_hours: { title: 'GPU-hours', decimals: 1, width: 90, absent: '–' },
    node_pool: POOL,
    last_report: { title: 'Last report', width: 165 },
    ...PASSED_ON,
    until: { title: 'Compare', width: 115, text: 'Compare with…', link: toComparison },
  },
  sortBy: ['Error', 'Last report'],
});

const ranking = list({
  title: 'Which run was best',
  description:
    'Jobs by their last validation loss, else their training loss, the lowest first, jobs without a loss last. “Best” is the lowest of the jobs that succeeded. Losses compare only between jobs with the same validation data and tokenizer: choose a model above.',
  family: JOBS,
  width: 12,
  height: 9,
  queries: RESULTS,
  columns: {
    best: {
      title: 'Best',
      width: 65,
      words: { best: { text: '★ best', color: 'green' } },
      cell: 'color-text',
      steps: plain,
    },
    name: { title: 'Job', minWidth: 130, link: toJobAndItsNodes },
    ...LOSS,
    model: { title: 'Model' },
    node_pool: { ...POOL, hidden: true },
    ...PASSED_ON,
  },
});

const settings = list({
  title: 'Settings of jobs',
  description:
    'Times and settings of each job. Queue and run time are read from its events; what they do not say is empty.',
  family: JOBS,
  width: 24,
  height: 9,
  queries: [{ queryType: 'fineTuningJobs', format: 'table', ...CHOSEN }],
  columns: {
    suffix: { title: 'Suffix', width: 150 },
    job_id: { title: 'Job', width: 200, link: toJob },
    model: { title: 'Model', width: 230 },
    created: { title: 'Created', width: 165 },
    queue_time: { title: 'Queued', unit: 's', decimals: 1, width: 90 },
    estimated_finish: { title: 'Estimated finish', width: 165 },
    trained_tokens: { title: 'Tokens', unit: 'short', width: 90 },
    n_epochs: { title: 'Epochs', width: 80 },
    batch_size: { title: 'Batch', width: 80 },
    learning_rate: { title: 'Learning rate', unit: 'sci', width: 110 },
  },
});

const LOSSES = ['train_loss', 'valid_loss'];

const overTime = graph({
  title: 'Loss over time',
  description: 'Training and validation loss. From live metrics where the platform has them, else from checkpoints.',
  family: JOBS,
  width: 24,
  height: 7,
  unit: 'none',
  queries: [{ queryType: 'fineTuningCurves', ...CHOSEN, metrics: LOSSES, xAxis: 'time' }],
});

const overSteps = curves({
  title: 'Loss over steps',
  description:
    'The same by training step, so that jobs can be compared. A validation loss that turns up again: the model is learning by heart.',
  family: JOBS,
  width: 12,
  height: 9,
  unit: 'none',
  x: 'step',
  queries: [{ queryType: 'fineTuningCurves', ...CHOSEN, metrics: LOSSES, xAxis: 'step' }],
});

/** How jobs and nodes are put side by side; a platform that labels GPUs with their jobs is not known. */
const JOINED =
  'Jobs and nodes are joined by time and by the node pool and node chosen above, not by a label of the GPUs: a job’s own pool is in its metadata, and its link in the table above chooses it.';

const load = graph({
  title: 'GPU utilization of the chosen nodes meanwhile',
  description: `Average over the GPUs, with jobs and checkpoints drawn over it: a dip at a dashed line is a checkpoint being written. The rows below are the same jobs. ${JOINED}`,
  family: GPU,
  ofFleet: true,
  width: 24,
  height: 7,
  unit: 'percent',
  min: 0,
  max: 100,
  queries: [range(fleetAverage(onPool('DCGM_FI_DEV_GPU_UTIL')), 'All chosen GPUs')],
  looks: { 'All chosen GPUs': { color: 'green', lineWidth: 2 } },
});

/** The most throttled of the chosen nodes, by their most throttled GPU. */
const mostThrottled = (counter: string) => `topk(3, ${withNode(`max by (${HOST}) (${throttled(onPool(counter))})`)})`;

const throttle = graph({
  title: 'Throttling of the chosen nodes meanwhile',
  description: `Share of time in which a node’s most throttled GPU ran slower than it could, because of heat or of its power limit: of the three worst of the chosen nodes. ${JOINED}`,
  family: GPU,
  ofFleet: true,
  width: 24,
  height: 7,
  unit: 'percentunit',
  min: 0,
  queries: [
    range(mostThrottled('DCGM_FI_DEV_THERMAL_VIOLATION'), '{{node}}: heat'),
    range(mostThrottled('DCGM_FI_DEV_POWER_VIOLATION'), '{{node}}: power limit'),
  ],
});

const checkpoints = list({
  title: 'Checkpoints',
  description: 'The checkpoints of the chosen jobs, with their metrics. A click on an id downloads it, for editors.',
  family: { ...JOBS, missing: 'no job in this time range has written a checkpoint yet.' },
  width: 24,
  height: 9,
  queries: [{ queryType: 'fineTuningCheckpoints', ...CHOSEN }],
  columns: {
    name: { title: 'Job', width: 160 },
    checkpoint_id: { title: 'Checkpoint' },
    step: { title: 'Step', width: 80 },
    created: { title: 'Created', width: 165 },
    train_loss: { title: 'Training loss', decimals: 3 },
    valid_loss: { title: 'Validation loss', decimals: 3 },
    valid_mean_token_accuracy: { title: 'Validation accuracy', unit: 'percentunit', decimals: 1 },
  },
});

const events = list({
  title: 'Events',
  description: 'What the chosen jobs reported, newest first.',
  family: { ...JOBS, missing: 'the chosen jobs reported nothing in this time range.' },
  width: 14,
  height: 10,
  queries: [{ queryType: 'fineTuningEvents', ...CHOSEN }],
  columns: {
    timestamp: { title: 'Time', width: 165 },
    name: { title: 'Job', width: 150 },
    severity: { title: 'Level', width: 70, words: LEVELS, cell: 'color-text', steps: plain },
    body: { title: 'Event', wrap: true },
  },
});

const files = list({
  title: 'Training files',
  description: 'All uploaded data sets, also those from outside the time range.',
  family: { ...JOBS, missing: 'no file has been uploaded.' },
  width: 24,
  height: 8,
  queries: [{ queryType: 'trainingFiles' }],
  columns: {
    filename: { title: 'File' },
    bytes: { title: 'Size', unit: 'bytes', width: 90 },
    created: { title: 'Uploaded', width: 165 },
    status: { title: 'Status', width: 95 },
  },
});

export const fineTuning = () =>
  board({
    uid: 'gpucloud-fine-tuning',
    title: 'Fine-tuning',
    description: 'Jobs, their curves, events and checkpoints.',
    from: 'now-24h',
    annotated: [load],
    annotatedJobs: CHOSEN,
    variables: [statuses(), models(), jobs(), host(), pools(), nodesOfPools(), throttlingUnit()],
    sections: [
      { panels: [outcomes] },
      { title: 'Loss, load and throttling on one time axis', panels: [overTime, load, jobLanes, throttle] },
      { title: 'Results', panels: [ranking, overSteps, checkpoints, counts, events, files, settings] },
    ],
  });
