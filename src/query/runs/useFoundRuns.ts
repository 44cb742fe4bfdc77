import { DataFrameView, getDefaultTimeRange, type DataFrame, type TimeRange } from '@grafana/data';
import { requestOf, type QueryRunner } from '../../queryFrames';
import { sourceProblem } from '../../runs/problem';
import type { RunGpus, RunSource, RunsQuery } from '../../runs/query';
import { useResult, type Result } from '../useResult';

/** A run as lists of editors show it. Times are milliseconds since 1970. */
export interface FoundRun {
  id: string;
  name: string;
  status: string;
  start: number;
  /** Seconds. */
  length: number;
  gpus?: number | null;
  attribution?: string;
}

/** The runs of a source in a time range, with their GPUs. */
export function useFoundRuns(
  datasource: QueryRunner,
  { source, selector }: RunGpus & { source: RunSource },
  range: TimeRange = getDefaultTimeRange()
): Result<FoundRun> {
  const query: RunsQuery = { refId: 'runs', queryType: 'runs', source, selector, measures: ['gpus'] };
  const key = sourceProblem(source) ? '' : JSON.stringify([source, selector, range.raw]);
  return useResult(datasource, key, requestOf('gpucloud-found-runs', query, range), read);
}

interface Row extends Omit<FoundRun, 'id' | 'name'> {
  run_id: string;
  run: string;
}

const read = (frames: DataFrame[]): { items: FoundRun[] } => ({
  items: frames
    .filter(({ fields }) => fields.some(({ name }) => name === 'run_id'))
    .flatMap((frame) => new DataFrameView<Row>(frame).toArray())
    .map(({ run_id: id, run, ...rest }) => ({ ...rest, id, name: run || id })),
});
