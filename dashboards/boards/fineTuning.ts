import { board } from '../lib/board.ts';
import { plain, STATUSES } from '../lib/display.ts';
import { GPU, JOBS } from '../lib/families.ts';
import { toJob } from '../lib/links.ts';
import { bars, curves, graph, lanes, list, messages } from '../lib/panels.ts';
import { anywhere } from '../lib/promql.ts';
import { range } from '../lib/queries.ts';
import { jobs, models, statuses } from '../lib/variables.ts';

const CHOSEN = { jobIds: ['$job'], statuses: ['$status'], models: ['$model'] };

const counts = bars({
  title: 'Jobs by status and model',
  description: 'How many jobs of each model were in each state, in the time range.',
  family: JOBS,
  width: 8,
  height: 11,
  unit: 'none',
  min: 0,
  queries: [{ queryType: 'fineTuningJobs', format: 'count', ...CHOSEN }],
});

const jobLanes = lanes('Timeline', CHOSEN);

const table = list({
  title: 'Jobs',
  description:
    'Each job with its times and settings. Queue and run time are read from its events; what they do not tell is empty. Click an id to see one job.',
  family: JOBS,
  width: 24,
  height: 9,
  queries: [{ queryType: 'fineTuningJobs', format: 'table', ...CHOSEN }],
  columns: {
    job_id: { title: 'Job', width: 200, link: toJob },
    status: { title: 'Status', width: 115, words: STATUSES, cell: 'color-text', steps: plain },
    suffix: { title: 'Suffix', width: 150 },
    model: { title: 'Model', width: 230 },
    created: { title: 'Created', width: 165 },
    queue_time: { title: 'Queued', unit: 's', decimals: 1, width: 90 },
    run_time: { title: 'Ran', unit: 's', decimals: 1, width: 90 },
    estimated_finish: { title: 'Estimated finish', width: 165 },
    trained_tokens: { title: 'Tokens', unit: 'short', width: 90 },
    n_epochs: { title: 'Epochs', width: 80 },
    batch_size: { title: 'Batch', width: 80 },
    learning_rate: { title: 'Learning rate', unit: 'sci', width: 110 },
    error: { title: 'Error' },
  },
});

const LOSSES = ['train_loss', 'valid_loss'];

const overTime = graph({
  title: 'Loss over time',
  description: 'Training and validation loss. From live metrics where the platform has them, else from checkpoints.',
  family: JOBS,
  width: 12,
  height: 9,
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

const load = graph({
  title: 'GPU utilisation meanwhile',
  description:
    'Average over all GPUs of the project, with jobs and checkpoints drawn over it: a dip at a mark is a checkpoint being written. The rows below are the same jobs.',
  family: GPU,
  ofFleet: true,
  width: 16,
  height: 11,
  unit: 'percent',
  min: 0,
  max: 100,
  queries: [range(`avg(${anywhere('DCGM_FI_DEV_GPU_UTIL')})`, 'All GPUs')],
  looks: { 'All GPUs': { lineWidth: 2 } },
});

const checkpoints = list({
  title: 'Checkpoints',
  description: 'The checkpoints of the chosen jobs, with their metrics. A click on an id downloads it, for editors.',
  family: { ...JOBS, missing: 'No checkpoint: no job in this time range has written one yet.' },
  width: 24,
  height: 9,
  queries: [{ queryType: 'fineTuningCheckpoints', ...CHOSEN }],
  columns: {
    job_id: { title: 'Job' },
    checkpoint_id: { title: 'Checkpoint' },
    step: { title: 'Step', width: 80 },
    created: { title: 'Created', width: 165 },
    train_loss: { title: 'Training loss', decimals: 3 },
    valid_loss: { title: 'Validation loss', decimals: 3 },
    valid_mean_token_accuracy: { title: 'Validation accuracy', unit: 'percentunit', decimals: 1 },
  },
});

const events = messages({
  title: 'Events',
  description: 'What the chosen jobs reported, newest first.',
  family: { ...JOBS, missing: 'No event of the chosen jobs lies in this time range.' },
  width: 10,
  height: 10,
  queries: [{ queryType: 'fineTuningEvents', ...CHOSEN }],
});

const files = list({
  title: 'Training files',
  description: 'Uploaded data sets, whatever the time range.',
  family: { ...JOBS, missing: 'No file has been uploaded.' },
  width: 14,
  height: 10,
  queries: [{ queryType: 'trainingFiles' }],
  columns: {
    filename: { title: 'File' },
    file_id: { title: 'Id' },
    purpose: { title: 'Purpose', width: 90 },
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
    variables: [statuses(), models(), jobs()],
    sections: [
      { panels: [load, counts, jobLanes, table] },
      {
        title: 'Training',
        panels: [overTime, overSteps],
      },
      { title: 'Results', panels: [checkpoints, events, files] },
    ],
  });
