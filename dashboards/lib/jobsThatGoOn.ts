import type { JobFilters } from '../../src/types/jobFilters.ts';
import { STATUSES } from './display.ts';
import { GOING_ON } from './missing.ts';
import { toJobOfFinding } from './links.ts';
import { list, type ListSpec } from './panels.ts';

/** No estimate is better than that. */
export const TO_THE_MINUTE = 'time:YYYY-MM-DD HH:mm';

type Spec = Pick<ListSpec, 'title' | 'description' | 'height'> & {
  filters: JobFilters;
  /** Columns after those that every such list has. */
  further?: ListSpec['columns'];
};

/** Fine-tuning jobs that run or are paused, with their GPUs and when they finish by the steps that they report. */
export const jobsThatGoOn = ({ filters, further = {}, ...spec }: Spec) =>
  list({
    ...spec,
    missing: GOING_ON,
    queries: [
      { queryType: 'trainingHealth', ...filters, format: 'eta' },
      { queryType: 'runs', source: { kind: 'fineTuning', ...filters }, measures: ['gpus', 'since_checkpoint'] },
    ],
    renamed: { B: { run_id: 'job', gpus: 'gpus', since_checkpoint: 'since_checkpoint' } },
    joined: { by: 'job', results: ['Estimated finish', 'Runs'] },
    required: 'status',
    columns: {
      run: { title: 'Job', minWidth: 130, link: toJobOfFinding },
      status: { title: 'Status', width: 85, words: STATUSES, cell: 'color-text' },
      gpus: { title: 'GPUs', unit: 'locale', width: 60, absent: '–' },
      progress: { title: 'Progress', unit: 'percentunit', decimals: 0, min: 0, max: 1, cell: 'gauge', width: 105 },
      left: { title: 'Left', unit: 's', decimals: 1, width: 85 },
      eta: { title: 'Finishes', unit: TO_THE_MINUTE, width: 140 },
      ...further,
      job: { hidden: true },
    },
  });
