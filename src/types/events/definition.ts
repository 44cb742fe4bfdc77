import type { FineTuningEventsQuery } from './query';
import type { Definition } from '../definition';
import { JOB_FILTERS } from '../jobFilters';

export const events: Definition<FineTuningEventsQuery> = {
  service: 'fineTuning',
  label: 'Events',
  description: 'What jobs reported, as log lines',
  options: { ...JOB_FILTERS, levels: 'list' },
  needs: 'Fine-tuning',
};
