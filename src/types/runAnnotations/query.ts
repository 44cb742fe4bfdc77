import type { DataQuery } from '@grafana/schema';
import type { ChosenRuns } from '../runSource';

/** The start and the end of runs, to be drawn over panels at their times. */
export interface RunAnnotationsQuery extends DataQuery, ChosenRuns {
  queryType: 'runAnnotations';
}
