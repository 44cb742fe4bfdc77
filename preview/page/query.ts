import { useEffect, useState } from 'react';
import { catchError, from, map, type Observable, of, startWith } from 'rxjs';
import {
  CoreApp,
  type DataQueryError,
  type DataQueryRequest,
  type DataQueryResponse,
  LoadingState,
  type PanelData,
  rangeUtil,
  type TimeRange,
} from '@grafana/data';
import { type DataSource, type Query } from './plugin/loadPlugin';

/** Points by default: about one per pixel of a wide panel. */
const MAX_DATA_POINTS = 1000;

/** The last six hours, from now on. */
export const lastHours = () => rangeUtil.convertRawToRange({ from: 'now-6h', to: 'now' });

/** What a panel or Explore shows of a query, which runs again when it or the time range is another object. */
export function usePanelData(datasource: DataSource, query: Query | undefined, timeRange: TimeRange, app: CoreApp) {
  const [data, setData] = useState<PanelData>();
  useEffect(() => {
    if (!query) {
      return;
    }
    const running = runQuery(datasource, createRequest(datasource, query, timeRange, app))
      .pipe(startWith({ state: LoadingState.Loading, timeRange }))
      // The last result stays while the next one loads.
      .subscribe((next) => setData((last) => ({ series: last?.series ?? [], ...next })));
    return () => running.unsubscribe();
  }, [datasource, query, timeRange, app]);
  return data;
}

export function createRequest(datasource: DataSource, query: Query, range: TimeRange, app: CoreApp) {
  const { interval, intervalMs } = rangeUtil.calculateInterval(range, MAX_DATA_POINTS, datasource.interval);
  const request: DataQueryRequest<Query> = {
    app,
    requestId: query.refId,
    timezone: 'browser',
    range,
    rangeRaw: range.raw,
    interval,
    intervalMs,
    maxDataPoints: MAX_DATA_POINTS,
    startTime: Date.now(),
    targets: [query],
    scopedVars: {
      __interval: { text: interval, value: interval },
      __interval_ms: { text: String(intervalMs), value: intervalMs },
    },
  };
  return request;
}

function runQuery(datasource: DataSource, request: DataQueryRequest<Query>): Observable<PanelData> {
  return from(datasource.query(request)).pipe(
    catchError((error: Error) => of<DataQueryResponse>({ data: [], error: { message: error.message } })),
    map(({ data, errors = [], error, state = LoadingState.Done }) => ({
      state,
      series: data,
      errors: error && errors.length === 0 ? [error] : errors,
      timeRange: request.range,
    }))
  );
}

/** The sentence a panel shows for an error. */
export const errorText = ({ message, data }: DataQueryError) =>
  message ?? data?.message ?? data?.error ?? 'Query error';
