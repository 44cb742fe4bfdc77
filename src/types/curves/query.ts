import type { DataQuery } from '@grafana/schema';
import type { JobFilters } from '../jobFilters';

/** Losses and other training metrics. */
export interface FineTuningCurvesQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningCurves';
  /** Names of metrics, such as `train_loss`. All if it is missing. */
  metrics?: string[];
}
