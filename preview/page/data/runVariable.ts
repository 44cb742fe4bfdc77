import { from, map, type Observable } from 'rxjs';
import {
  CoreApp,
  type CustomVariableSupport,
  type DataQueryRequest,
  type MetricFindValue,
  type TimeRange,
} from '@grafana/data';
import { type DataSource, type Query } from '../plugin/loadPlugin';

export type VariableSupport = CustomVariableSupport<DataSource, Query>;

/** The data source's own support for variables, with an editor of its own, if it has one. */
export function variableSupportOf(datasource: DataSource): VariableSupport | undefined {
  const support = datasource.variables;
  return support && 'editor' in support ? (support as VariableSupport) : undefined;
}

/** Asks for a variable's values as a dashboard does. */
export function runVariable(support: VariableSupport, query: Query, range: TimeRange): Observable<MetricFindValue[]> {
  const request: DataQueryRequest<Query> = {
    app: CoreApp.Dashboard,
    requestId: 'variable',
    timezone: 'browser',
    range,
    interval: '1m',
    intervalMs: 60_000,
    startTime: Date.now(),
    targets: [query],
    scopedVars: {},
  };
  return from(support.query(request)).pipe(map(({ data }) => data as MetricFindValue[]));
}
