import type { DataQuery } from '@grafana/schema';
import type { JobFilters } from '../jobFilters';

/** One row per checkpoint. */
export interface FineTuningCheckpointsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningCheckpoints';
}
