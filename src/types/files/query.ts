import type { DataQuery } from '@grafana/schema';

/** One row per file. */
export interface TrainingFilesQuery extends DataQuery {
  queryType: 'trainingFiles';
  purposes?: string[];
}
