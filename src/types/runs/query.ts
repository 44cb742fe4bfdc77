import type { DataQuery } from '@grafana/schema';
import type { ChosenRuns, RunGpus } from '../runSource';

/** A measure of one's own. */
export interface CustomMeasure {
  /** Title of the column. */
  name: string;
  /** PromQL with `$selector`, `$run` and `$duration`. */
  expr: string;
  /** One of Grafana's unit ids, such as `watt`. */
  unit?: string;
}

export type RunsFormat = 'table' | 'number';

/** One row per run, with its measures. */
export interface RunsQuery extends DataQuery, ChosenRuns, RunGpus {
  queryType: 'runs';
  /** Ids of measures, such as `gpu_hours`: see below. All if it is missing; none if it is an empty list. */
  measures?: string[];
  /** Measures of one's own: see below. */
  custom?: CustomMeasure[];
  /** Id of a run. Each number gets a second column with its difference to this run. */
  baseline?: string;
  /** `table` if it is missing. */
  format?: RunsFormat;
}
