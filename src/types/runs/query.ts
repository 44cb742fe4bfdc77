import type { DataQuery } from '@grafana/schema';
import type { ChosenRuns, RunGpus } from '../runSource';

export type RunsFormat = 'table' | 'number';

/** One row per run, with its measures. */
export interface RunsQuery extends DataQuery, ChosenRuns, RunGpus {
  queryType: 'runs';
  /** Ids of measures, such as `gpu_hours`: see below. All if it is missing; none if it is an empty list. */
  measures?: string[];
  /** Id of a run. Each number gets a second column with its difference to this run. */
  baseline?: string;
  /** `table` if it is missing. */
  format?: RunsFormat;
}
