import type { DataQuery } from '@grafana/schema';
import type { JobFilters } from '../jobFilters';

export type Drawn = 'jobs' | 'checkpoints';

/**
 * How annotations draw jobs: as points at the start and the end, as regions, or as regions where few overlap and as points
 * elsewhere, without what would cover a panel.
 */
export type JobsDrawing = 'automatic' | 'points' | 'regions';

/** What happened to jobs, to be drawn over panels. */
export interface FineTuningAnnotationsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningAnnotations';
  /** Jobs and checkpoints if it is missing. */
  show?: Drawn[];
  /** `automatic` if it is missing. */
  draw?: JobsDrawing;
}
