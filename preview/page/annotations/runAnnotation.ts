import { map, mergeMap, type Observable, of } from 'rxjs';
import {
  type AnnotationEvent,
  type AnnotationQuery,
  CoreApp,
  type QueryResultMetaNotice,
  type TimeRange,
} from '@grafana/data';
import { noticesOf } from '../data/frames';
import { errorText, runQuery } from '../data/runQuery';
import { type DataSource, type Query } from '../plugin/loadPlugin';

/** The name that Grafana gives to the query of every annotation. */
const REF_ID = 'Anno';

export interface AnnotationAnswer {
  events: AnnotationEvent[];
  notices: QueryResultMetaNotice[];
  /** What went wrong, in the plugin's own words. */
  error?: string;
}

/**
 * Asks for an annotation's events as a dashboard does: the data source prepares what was saved, its query is run, and
 * the data source makes events of the answer.
 */
export function runAnnotation(
  datasource: DataSource,
  saved: AnnotationQuery<Query>,
  timeRange: TimeRange
): Observable<AnnotationAnswer> {
  const support = datasource.annotations;
  const annotation: AnnotationQuery<Query> = support?.prepareAnnotation?.(saved) ?? saved;
  const query = support?.prepareQuery?.(annotation) ?? annotation.target;
  if (!query || !support?.processEvents) {
    return of({ events: [], notices: [] });
  }
  const process = support.processEvents.bind(support);
  return runQuery({
    datasource,
    queries: [{ ...query, refId: REF_ID, datasource: datasource.getRef() }],
    timeRange,
    app: CoreApp.Dashboard,
    requestId: `annotation-${annotation.name}`,
  }).pipe(
    mergeMap(({ series, errors = [] }) =>
      process(annotation, series).pipe(
        map((events) => ({
          events: events ?? [],
          notices: noticesOf(series),
          error: errors.length > 0 ? errors.map(errorText).join('\n') : undefined,
        }))
      )
    )
  );
}
