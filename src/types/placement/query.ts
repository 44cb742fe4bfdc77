import type { DataQuery } from '@grafana/schema';

/** A row for each place, the best first; the GPUs that each place has without doubt; a sentence; or a row for each own node that is idle. */
export type PlacementFormat = 'table' | 'number' | 'answer' | 'nodes';

/** Where a number of GPUs can run now. In each list, no entry means all. */
export interface PlacementQuery extends DataQuery {
  queryType: 'placement';
  /** How many GPUs are wanted in one place: 1 to 100,000, a number or a text, which may be a dashboard variable. */
  gpus?: number | string;
  /** GPU types such as `h100`, types of machines such as `h100.8x`, or models as the metrics call them. */
  types?: string[];
  locations?: string[];
  /** `table` if it is missing. */
  format?: PlacementFormat;
}
