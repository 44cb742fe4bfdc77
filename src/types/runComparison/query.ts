import type { DataQuery } from '@grafana/schema';
import type { ChosenRuns, RunGpus } from '../runSource';

export type RunAxis = 'elapsed' | 'rebased' | 'step';

/** One expression or training metric over each run, on one axis. */
export interface RunComparisonQuery extends DataQuery, ChosenRuns, RunGpus {
  queryType: 'runComparison';
  /** PromQL with `$selector`, `$run` and `$duration`. The expression of the source if it is missing and the source has one. */
  expr?: string;
  /** A training metric of fine-tuning jobs, such as `train_loss`, instead of `expr`. */
  metric?: string;
  /** `elapsed` if it is missing. Only training metrics have steps. */
  axis?: RunAxis;
  /** Id of a run. */
  baseline?: string;
  /** Shows each run minus the baseline. False if it is missing. */
  difference?: boolean;
  /** Most runs that are compared. 20 if it is missing. May be a dashboard variable. */
  maxRuns?: number | string;
}
