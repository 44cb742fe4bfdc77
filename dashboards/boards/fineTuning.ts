import { board } from '../lib/board.ts';
import { STATUSES } from '../lib/display.ts';
import { GPU, JOBS } from '../lib/families.ts';
import { toJob } from '../lib/links.ts';
import { graph, list, messages, numbers, states } from '../lib/panels.ts';
import { range } from '../lib/queries.ts';
import { jobs, models, statuses } from '../lib/variables.ts';

const CHOSEN = { jobIds: ['$job'], statuses: ['$status'], models: ['$model'] };

const counts = numbers({
  title: 'Jobs by status and model',
  description: 'Jobs in the time range, by status and model.',
  family: JOBS,
  width: 24,
  unit: 'none',
  queries: [{ queryType: 'fineTuningJobs', format: 'count', ...CHOSEN }],
});

const timeline = states({
  title: 'Timeline',
  description: 'The state of each job over time: how long it waited, and how long it ran.',
  family: JOBS,
  width: 24,
  height: 9,
  words: STATUSES,
  queries: [{ queryType: 'fineTuningJobs', format: 'timeline', ...CHOSEN }],
});

const table = list({
  title: 'Jobs',
  description:
    'Each job with its times and settings. Queue and run time are read from its events; what they do not tell is empty. Click an id to see one job.',
  family: JOBS,
  width: 24,
  height: 9,
  unit: 'none',
  queries: [{ queryType: 'fineTuningJobs', format: 'table', ...CHOSEN }],
  columns: {
    job_id: { title: 'Job', link: toJob },
    status: { title: 'Status', width: 110, words: STATUSES, cell: 'color-text' },
    model: { title: 'Model' },
    suffix: { title: 'Suffix' },
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

const curve = (title: string, description: string, unit: string, metrics: string[], xAxis: 'time' | 'step' = 'time') =>
  graph({
    title,
    description,
    family: JOBS,
    width: 12,
    height: 9,
    unit,
    queries: [{ queryType: 'fineTuningCurves', jobIds: ['$job'], metrics, xAxis }],
  });

const load = graph({
  title: 'GPU utilisation meanwhile',
  description:
    'Average over all GPUs of the project, with jobs and checkpoints drawn over it: a dip at a mark is a checkpoint being written.',
  family: GPU,
  ofFleet: true,
  width: 24,
  unit: 'percent',
  min: 0,
  max: 100,
  queries: [range('avg(DCGM_FI_DEV_GPU_UTIL)', 'All GPUs')],
});

const checkpoints = list({
  title: 'Checkpoints',
  description: 'The checkpoints of the chosen jobs, with their metrics. A click on an id downloads it, for editors.',
  family: { ...JOBS, missing: 'No checkpoint: no job in this time range has written one yet.' },
  width: 14,
  height: 10,
  unit: 'none',
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
  queries: [{ queryType: 'fineTuningEvents', jobIds: ['$job'] }],
});

const files = list({
  title: 'Training files',
  description: 'Uploaded data sets, whatever the time range.',
  family: { ...JOBS, missing: 'No file has been uploaded.' },
  width: 24,
  height: 7,
  unit: 'none',
  queries: [{ queryType: 'trainingFiles' }],
  columns: {
    filename: { title: 'File' },
    file_id: { title: 'Id' },
    purpose: { title: 'Purpose' },
    bytes: { title: 'Size', unit: 'bytes' },
    created: { title: 'Uploaded' },
    status: { title: 'Status' },
  },
});

export const fineTuning = () =>
  board({
    uid: 'gpucloud-fine-tuning',
    title: 'Fine-tuning',
    description: 'Jobs, their curves, events and checkpoints.',
    from: 'now-24h',
    variables: [statuses(), models(), jobs()],
    sections: [
      { panels: [counts, timeline, table] },
      {
        title: 'Training',
        panels: [
          curve(
            'Loss over time',
            'Training and validation loss. From live metrics where the platform has them, else from checkpoints.',
            'none',
            ['train_loss', 'valid_loss']
          ),
          curve(
            'Loss over steps',
            'The same by training step, so that jobs can be compared. A validation loss that turns up again: the model is learning by heart.',
            'none',
            ['train_loss', 'valid_loss'],
            'step'
          ),
          load,
        ],
      },
      { title: 'Results', panels: [checkpoints, events, files] },
    ],
  });
