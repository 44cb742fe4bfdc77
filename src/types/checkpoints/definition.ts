import type { FineTuningCheckpointsQuery } from './query';
import type { Definition } from '../definition';
import { JOB_FILTERS } from '../jobFilters';

export const checkpoints: Definition<FineTuningCheckpointsQuery> = {
  service: 'fineTuning',
  label: 'Checkpoints',
  description: 'A row for each checkpoint, with its metrics',
  options: JOB_FILTERS,
  needs: 'Fine-tuning',
};
