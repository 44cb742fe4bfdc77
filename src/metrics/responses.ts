import { LoadingState, type DataFrame, type DataQueryRequest, type DataQueryResponse } from '@grafana/data';
import { transformV2 } from '@grafana/prometheus';
import type { MetricsQuery } from '../types';

/**
 * Gives the PromQL frames of a mixed response the look that Grafana's Prometheus data source gives them: legends,
 * tables and heatmaps. Frames of other queries stay as they are.
 */
export function transformMetricsFrames(
  response: DataQueryResponse,
  metricsRequest: DataQueryRequest<MetricsQuery>
): DataQueryResponse {
  const refIds = new Set(metricsRequest.targets.map((target) => target.refId));
  const isMetricsFrame = (frame: DataFrame) => frame.refId !== undefined && refIds.has(frame.refId);
  const metrics = transformV2({ ...response, data: response.data.filter(isMetricsFrame) }, metricsRequest, {});
  return {
    ...response,
    data: [...metrics.data, ...response.data.filter((frame: DataFrame) => !isMetricsFrame(frame))],
  };
}

/** Joins the answers to two parts of one request: it is loading while a part is, and has failed when a part has. */
export function mergeResponses(left: DataQueryResponse, right: DataQueryResponse): DataQueryResponse {
  const states = [left.state, right.state];
  const state = [LoadingState.Error, LoadingState.Loading, LoadingState.Streaming].find((s) => states.includes(s));
  return {
    ...right,
    ...left,
    data: [...left.data, ...right.data],
    errors: [...(left.errors ?? []), ...(right.errors ?? [])],
    state: state ?? LoadingState.Done,
  };
}
