import type { FineTuningAnnotationsQuery } from './query';
import type { Definition } from '../definition';
import { JOB_FILTERS } from '../jobFilters';

// Annotations belong over panels, in a dashboard's settings.
export const jobAnnotations: Definition<FineTuningAnnotationsQuery> = {
  service: 'fineTuning',
  label: 'Annotations',
  description: 'Jobs and their checkpoints',
  options: { show: 'list', ...JOB_FILTERS },
  inPanels: false,
  needs: 'Fine-tuning',
};
