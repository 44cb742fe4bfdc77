import type { FineTuningCurvesQuery } from './query';
import type { Definition } from '../definition';
import { JOB_FILTERS } from '../jobFilters';

export const curves: Definition<FineTuningCurvesQuery> = {
  service: 'fineTuning',
  label: 'Curves',
  description: 'Losses and other training metrics',
  options: { ...JOB_FILTERS, metrics: 'list' },
  inAlerts: true,
  needs: 'Fine-tuning',
};
