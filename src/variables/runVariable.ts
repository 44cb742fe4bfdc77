import { DataFrameView, type DataFrame, type DataQueryRequest, type MetricFindValue } from '@grafana/data';
import { columnOf } from '../platform/columnOf';
import { queryFrames, type QueryRunner } from '../queryFrames';
import { sourceProblem } from '../runs/problem';
import type { RunsQuery, RunVariableQuery } from '../runs/query';

/** The values of a variable about runs, newest run first. A failure has the error's sentence. */
export async function runValues(
  request: DataQueryRequest<RunVariableQuery>,
  dataSource: QueryRunner
): Promise<MetricFindValue[]> {
  const [query] = request.targets;
  const { refId, datasource, source } = query;
  const problem = sourceProblem(source);
  if (problem) {
    throw new Error(problem);
  }
  const runs: RunsQuery = { refId, datasource, queryType: 'runs', source, measures: [] };
  const frames = await queryFrames(dataSource, { ...request, targets: [runs] });
  return query.queryType === 'runs'
    ? frames.flatMap(namedRuns)
    : columnOf(frames, query.label || 'run').map((value) => ({ text: value, value }));
}

function namedRuns(frame: DataFrame): MetricFindValue[] {
  const rows = new DataFrameView<{ run_id?: string; run?: string }>(frame).toArray();
  return rows.flatMap(({ run_id: id, run }) => (id ? [{ text: run || id, value: id }] : []));
}
