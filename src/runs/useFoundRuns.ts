import { DataFrameView, type DataFrame, type Field } from '@grafana/data';
import { requestOf } from '../queryFrames';
import { sourceProblem } from '../types/runSource';
import type { FieldsProps } from '../types/definition';
import type { RunComparisonQuery } from '../types/runComparison/query';
import type { RunsQuery } from '../types/runs/query';
import { useResult, type Result } from '../query/useResult';

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

/**
 * The runs of a query's source in its time range, with their GPUs: those of the query's own result if it has them all, else of a
 * query for them.
 */
export function useFoundRuns({
  query,
  datasource,
  data,
  range,
}: Pick<FieldsProps<RunsQuery | RunComparisonQuery>, 'query' | 'datasource' | 'data' | 'range'>): Result<FoundRun> {
  const { source, selector } = query;
  const own = (data?.series ?? []).filter(({ refId, fields }) => refId === query.refId && hasColumns(fields));
  const isOwn = own.length > 0 && query.queryType === 'runs' && !query.runs?.length;
  const found: RunsQuery = { refId: 'runs', queryType: 'runs', source, selector, measures: ['gpus'] };
  const result = useResult(
    datasource,
    isOwn || sourceProblem(source) ? undefined : requestOf('gpucloud-found-runs', found, range),
    read
  );
  return isOwn ? { ...read(own), notices: [], loading: false } : result;
}

const hasColumns = (fields: Field[]) =>
  ['run_id', 'gpus'].every((column) => fields.some(({ name }) => name === column));

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
