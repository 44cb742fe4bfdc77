import type { DataQuery } from '@grafana/schema';
import type { JobFilters } from '../jobFilters';

/** One row per job; the state of each job over time; how many jobs have a status; or a 1 for each job. */
export type JobsFormat = 'table' | 'timeline' | 'count' | 'countByJob';

export interface FineTuningJobsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningJobs';
  /** Leaves out jobs that were not active within the time range. True if it is missing. */
  onlyInRange?: boolean;
  /** `table` if it is missing. */
  format?: JobsFormat;
}
