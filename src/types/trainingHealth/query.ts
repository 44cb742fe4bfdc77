import type { DataQuery } from '@grafana/schema';
import type { JobFilters } from '../jobFilters';

/** What can be wrong with a training run, the most urgent first, and the time until it finishes. */
export type FindingKind = 'notFinite' | 'diverging' | 'stalled' | 'late' | 'overfitting' | 'eta';

export type TrainingHealthFormat = 'table' | 'eta' | 'number' | 'annotations';

/** What is wrong with training runs, since when, and when they will finish. */
export interface TrainingHealthQuery extends DataQuery, JobFilters {
  queryType: 'trainingHealth';
  /** PromQL whose label sets are runs, such as `training_loss`. Runs are fine-tuning jobs if it is missing or empty. */
  expr?: string;
  /** Names of metrics, such as `train_loss`. If it is missing, those of jobs whose names say which values are better. */
  metrics?: string[];
  /** Which findings numbers and annotations are about. All if it is missing. */
  findings?: FindingKind[];
  /** `table` if it is missing. Alert rules get numbers in every format. */
  format?: TrainingHealthFormat;
}
