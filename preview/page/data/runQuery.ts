import { catchError, from, map, type Observable, of } from 'rxjs';
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
import { type DataSource, type Query } from '../plugin/loadPlugin';

/** Points by default: about one per pixel of a wide panel. */
const MAX_DATA_POINTS = 1000;

export interface QueryRun {
  datasource: DataSource;
  queries: Query[];
  timeRange: TimeRange;
  app: CoreApp;
  /** Runs with the same id cancel one another. */
  requestId: string;
}

/** Runs queries as a panel does and emits what the panel would show. A failure is emitted, too. */
export function runQuery(run: QueryRun): Observable<PanelData> {
  const request = createRequest(run);
  return from(run.datasource.query(request)).pipe(
    catchError((error: Error) => of({ data: [], errors: [{ message: error.message }] })),
    map((response) => toPanelData(response, request))
  );
}

/** The request of a panel, of Explore or of a variable. */
export function createRequest({ datasource, queries, timeRange, app, requestId }: QueryRun): DataQueryRequest<Query> {
  const { interval, intervalMs } = rangeUtil.calculateInterval(timeRange, MAX_DATA_POINTS, datasource.interval);
  return {
    app,
    requestId,
    timezone: 'browser',
    range: timeRange,
    rangeRaw: timeRange.raw,
    interval,
    intervalMs,
    maxDataPoints: MAX_DATA_POINTS,
    startTime: Date.now(),
    targets: queries.filter((query) => datasource.filterQuery?.(query) ?? !query.hide),
    scopedVars: {
      __interval: { text: interval, value: interval },
      __interval_ms: { text: String(intervalMs), value: intervalMs },
    },
    ...(app === CoreApp.Explore ? {} : { dashboardUID: 'preview', panelId: 1 }),
  };
}

function toPanelData(response: DataQueryResponse, request: DataQueryRequest<Query>): PanelData {
  const errors: DataQueryError[] = response.errors ?? (response.error ? [response.error] : []);
  return {
    state: errors.length > 0 ? LoadingState.Error : (response.state ?? LoadingState.Done),
    series: response.data,
    errors,
    error: errors[0],
    timeRange: request.range,
    request,
  };
}

/** The sentence a panel shows for an error. */
export function errorText(error: DataQueryError): string {
  return error.message ?? error.data?.message ?? error.data?.error ?? 'Query error';
}
