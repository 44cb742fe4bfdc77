import type { FineTuningCheckpointsQuery } from './query';
import type { Definition } from '../definition';
import { JOB_FILTERS } from '../jobFilters';

export const checkpoints: Definition<FineTuningCheckpointsQuery> = {
  service: 'fineTuning',
  label: 'Checkpoints',
  description: 'A row a checkpoint, with its metrics',
  title: 'Fine-tuning checkpoints',
  options: JOB_FILTERS,
  needs: 'Fine-tuning',
};
