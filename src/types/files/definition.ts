import type { TrainingFilesQuery } from './query';
import type { Definition } from '../definition';

export const files: Definition<TrainingFilesQuery> = {
  service: 'fineTuning',
  label: 'Training files',
  description: 'A row for each file of the tuning gateway',
  options: { purposes: 'list' },
  needs: 'Fine-tuning',
};
