import type { DataQuery } from '@grafana/schema';
import type { JobFilters } from '../jobFilters';

/**
 * One row per job; how each job ended, the best first; the state of each job over time; how many jobs have a status; or the seconds a
 * job is past its estimate.
 */
export type JobsFormat = 'table' | 'results' | 'timeline' | 'count' | 'countByJob';

export interface FineTuningJobsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningJobs';
  /** Leaves out jobs that were not active within the time range. True if it is missing. */
  onlyInRange?: boolean;
  /** `table` if it is missing. */
  format?: JobsFormat;
}
