import type { DataQuery } from '@grafana/schema';
import type { JobFilters } from '../jobFilters';

export type Drawn = 'jobs' | 'checkpoints';

/** What happened to jobs, to be drawn over panels. */
export interface FineTuningAnnotationsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningAnnotations';
  /** Jobs and checkpoints if it is missing. */
  show?: Drawn[];
}
