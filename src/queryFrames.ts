import {
  CoreApp,
  getDefaultTimeRange,
  type DataFrame,
  type DataQueryRequest,
  type DataQueryResponse,
} from '@grafana/data';
import { errorMessage, responseErrors } from './responseErrors';
import type { GpuCloudQuery } from './types';

/** A request of the plugin's own. Grafana cancels a running one when another comes with the same id. */
export const requestOf = (
  requestId: string,
  query: GpuCloudQuery,
  range = getDefaultTimeRange()
): DataQueryRequest<GpuCloudQuery> => ({
  app: CoreApp.Unknown,
  requestId,
  interval: '1m',
  intervalMs: 60_000,
  range,
  scopedVars: {},
  startTime: Date.now(),
  targets: [query],
  timezone: 'browser',
});

/** What fills a list or a variable. Throws the first error's sentence, if there is one. */
export function framesOf(response: DataQueryResponse): DataFrame[] {
  const [error] = responseErrors(response);
  if (error) {
    throw new Error(errorMessage(error));
  }
  return response.data;
}

/**
 * A result without a row has no columns either, such as those of a typed table or of one that Grafana makes of several PromQL queries:
 * Grafana's table panel would show their titles instead of its text for no data. A trend panel shows that text if its axis is there.
 */
export function withoutEmptyColumns(response: DataQueryResponse): DataQueryResponse {
  const frames: DataFrame[] = response.data;
  return frames.some(({ length }) => length > 0)
    ? response
    : { ...response, data: frames.map((frame) => (isTrend(frame) ? frame : { ...frame, fields: [] })) };
}

const isTrend = ({ meta }: DataFrame): boolean => meta?.preferredVisualisationPluginId === 'trend';
