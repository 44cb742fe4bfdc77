import { partition } from 'lodash';
import { LoadingState, type DataFrame, type DataQueryRequest, type DataQueryResponse } from '@grafana/data';
import { transformV2 } from '@grafana/prometheus';
import { responseErrors } from '../responseErrors';
import type { MetricsQuery } from '../types';

/** The backend's name for tables; `DataFrameType` has none. */
const TABLE_FRAME = 'table';

/**
 * Gives the PromQL frames of a public dashboard the legends and heatmaps of Grafana's Prometheus data source. The frames
 * of other queries stay as they are, and so do tables: the server runs the queries as they are saved, so the backend has
 * made them already.
 */
export function transformPublicFrames(
  response: DataQueryResponse,
  metricsRequest: DataQueryRequest<MetricsQuery>
): DataQueryResponse {
  const targets = metricsRequest.targets.map(({ format, ...target }) =>
    format === 'heatmap' ? { ...target, format } : { ...target, format: 'time_series' as const }
  );
  const refIds = new Set(targets.map((target) => target.refId));
  const [plain, finished] = partition(
    response.data,
    (frame: DataFrame) => frame.refId !== undefined && refIds.has(frame.refId) && !isTable(frame)
  );
  const transformed = transformV2({ ...response, data: plain }, { ...metricsRequest, targets }, {});
  return { ...response, data: [...transformed.data, ...finished] };
}

function isTable({ meta }: DataFrame): boolean {
  return String(meta?.type) === TABLE_FRAME;
}

/** Merges the responses to two parts of one request: it is loading while a part is, and has failed when a part has. */
export function mergeResponses(left: DataQueryResponse, right: DataQueryResponse): DataQueryResponse {
  const states = [left.state, right.state];
  const state = [LoadingState.Error, LoadingState.Loading, LoadingState.Streaming].find((s) => states.includes(s));
  const errors = [...responseErrors(left), ...responseErrors(right)];
  return {
    ...right,
    ...left,
    data: [...left.data, ...right.data],
    // Grafana shows the older `error` only where there is no list of errors, not even an empty one.
    errors: errors.length > 0 ? errors : undefined,
    state: state ?? LoadingState.Done,
  };
}
