import type { FineTuningJobsQuery } from './query';
import type { Definition } from '../definition';
import { JOB_FILTERS } from '../jobFilters';

export const jobs: Definition<FineTuningJobsQuery> = {
  service: 'fineTuning',
  label: 'Jobs',
  description: 'A row for each job, a number for alert rules, or the status over time',
  options: { format: 'text', onlyInRange: 'switch', ...JOB_FILTERS },
  inAlerts: true,
  needs: 'Fine-tuning',
  blank: ({ alerting }) => (alerting ? { format: 'count' } : {}),
  load: () => import(/* webpackChunkName: "fields" */ './Fields'),
};
