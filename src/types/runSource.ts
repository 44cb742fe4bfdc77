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
   * for its value, and `{}` for all GPUs. Without it, the GPUs are those that the run's own labels, its pod or its Slurm job say.
   */
  selector?: string;
}

/** What each kind of source needs to be complete enough for its fields. */
export const BLANK_SOURCES: { [Kind in SourceKind]: Extract<RunSource, { kind: Kind }> } = {
  fineTuning: { kind: 'fineTuning' },
  series: { kind: 'series', expr: '', by: [] },
  manual: { kind: 'manual', runs: [] },
};

/** The source of a new query about runs, which has a result at once where there is a gateway: all fine-tuning jobs in the range. */
export const newSource = ({ intelligenceUrl }: { intelligenceUrl?: string }): RunSource =>
  BLANK_SOURCES[intelligenceUrl ? 'fineTuning' : 'series'];

/** Whether nothing was entered yet of where runs come from. */
export function sourceIsBlank(source: RunSource | undefined): boolean {
  switch (source?.kind) {
    case 'series':
      return !source.expr;
    case 'manual':
      return source.runs?.length === 0;
    default:
      return false;
  }
}
