import type { DataQuery } from '@grafana/schema';

/** Each fine-tuning job is a run. In each list, no entry means all. */
export interface FineTuningRuns {
  kind: 'fineTuning';
  statuses?: string[];
  models?: string[];
  jobIds?: string[];
}

/** Each label set of a PromQL result is a run, from its first sample in the range to its last. */
export interface SeriesRuns {
  kind: 'series';
  /** PromQL, such as `training_loss{metrics_source="custom-metrics"}`. */
  expr: string;
  /** The labels that distinguish runs, such as `pod_name`. */
  by: string[];
  /** A longer time without a sample ends a run, and the next sample begins another. `10m` if it is missing. */
  maxGap?: string;
}

/** Runs that are named in the query. */
export interface ManualRuns {
  kind: 'manual';
  runs: ManualRun[];
}

/** Times are RFC 3339, milliseconds since 1970, or relative such as `now-1d`. */
export interface ManualRun {
  name: string;
  from: string;
  /** Empty while the run goes on. */
  to: string;
}

/** Where runs come from. Its `kind` decides which options it has. */
export type RunSource = FineTuningRuns | SeriesRuns | ManualRuns;

export type SourceKind = RunSource['kind'];

/** Which runs a query is about. */
export interface ChosenRuns {
  /** Where the runs come from: see below. */
  source: RunSource;
  /** Ids of runs, as `run_id` of a `runs` query has them. All if it is missing. */
  runs?: string[];
}

/** Which GPUs a run is on. */
export interface RunGpus {
  /**
   * Label matchers of each run's GPUs, without braces: `cluster_id="$cluster_id"`. `$` and the name of a label of the run stands
   * for its value. Without it, all GPUs during the run.
   */
  selector?: string;
}

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

export type ComparisonFormat = 'curves' | 'divergence';

export type RunAxis = 'elapsed' | 'rebased' | 'step' | 'share';

/** One expression or training metric over each run, on one axis. */
export interface RunComparisonQuery extends DataQuery, ChosenRuns, RunGpus {
  queryType: 'runComparison';
  /** PromQL with `$selector`, `$run` and `$duration`. The expression of the source if it is missing and the source has one. */
  expr?: string;
  /** A training metric of fine-tuning jobs, such as `train_loss`, instead of `expr`. */
  metric?: string;
  /** PromQL of the training step, for the axis `step` where `expr` is PromQL. */
  stepExpr?: string;
  /** `elapsed` if it is missing. */
  axis?: RunAxis;
  /** Id of a run. */
  baseline?: string;
  /** Shows each run minus the baseline. False if it is missing. */
  difference?: boolean;
  /** `curves` if it is missing. `divergence` is a table: from where on each run differs from the baseline by more than `threshold`. */
  format?: ComparisonFormat;
  /** For `divergence`. 0 if it is missing. */
  threshold?: string;
  /** Most runs that are compared. 20 if it is missing. */
  maxRuns?: number;
}

export type RunEvents = 'runs' | 'checkpoints';

/** The start and the end of runs, to be drawn over panels. */
export interface RunAnnotationsQuery extends DataQuery, ChosenRuns {
  queryType: 'runAnnotations';
  /** `rebased` draws each run as if it started at the beginning of the range. `time` if it is missing. */
  axis?: 'time' | 'rebased';
  /** Runs if it is missing. */
  show?: RunEvents[];
}

/** A query about runs. Its `queryType` decides which options it has. */
export type RunQuery = RunsQuery | RunComparisonQuery | RunAnnotationsQuery;

export type RunQueryType = RunQuery['queryType'];

/** A variable whose values are ids of runs, shown with their names. */
export interface RunsVariableQuery extends DataQuery, Pick<ChosenRuns, 'source'> {
  queryType: 'runs';
}

/** A variable whose values are those of a label of the runs, each once. */
export interface RunLabelsVariableQuery extends DataQuery, Pick<ChosenRuns, 'source'> {
  queryType: 'runLabels';
  /** A label, such as `model`. The names of the runs if it is missing. */
  label?: string;
}

export type RunVariableQuery = RunsVariableQuery | RunLabelsVariableQuery;

const VARIABLE_TYPES: Record<RunVariableQuery['queryType'], true> = { runs: true, runLabels: true };

export const isRunVariable = (query: DataQuery): query is RunVariableQuery =>
  query.queryType !== undefined && Object.hasOwn(VARIABLE_TYPES, query.queryType);
