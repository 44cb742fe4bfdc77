import type { DataQuery } from '@grafana/schema';
import type { JobFilters } from '../jobFilters';

/** What jobs reported, as log lines. */
export interface FineTuningEventsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningEvents';
  levels?: string[];
}
