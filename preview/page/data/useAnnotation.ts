import { useEffect, useState } from 'react';
import { map, mergeMap, type Observable, of } from 'rxjs';
import {
  type AnnotationEvent,
  type AnnotationQuery,
  CoreApp,
  type QueryResultMetaNotice,
  type TimeRange,
} from '@grafana/data';
import { type DataSource, type Query } from '../plugin/loadPlugin';
import { noticesOf } from './frames';
import { errorText, runQuery } from './runQuery';

/** What a dashboard saves for fine-tuning jobs and their checkpoints. */
export const initialAnnotation: AnnotationQuery<Query & { show?: string[] }> = {
  name: 'Fine-tuning',
  enable: true,
  iconColor: 'blue',
  target: { refId: 'Anno', queryType: 'fineTuningAnnotations', show: ['jobs', 'checkpoints'] },
};

interface Annotated {
  events: AnnotationEvent[];
  /** Notices of the result, and its errors as warnings: a panel doesn't fail because of what is drawn over it. */
  notices: QueryResultMetaNotice[];
}

const NOTHING: Annotated = { events: [], notices: [] };

/** The events of an annotation in a time range. The last result stays while the next one loads. */
export function useAnnotation(
  datasource: DataSource,
  annotation: AnnotationQuery<Query> | undefined,
  timeRange: TimeRange
): Annotated {
  const [result, setResult] = useState(NOTHING);
  useEffect(() => {
    const running = annotation && run(datasource, annotation, timeRange).subscribe(setResult);
    return () => running?.unsubscribe();
  }, [datasource, annotation, timeRange]);
  return annotation ? result : NOTHING;
}

/** As a dashboard does it: the data source prepares what was saved, and makes events of the result of its query. */
function run(datasource: DataSource, saved: AnnotationQuery<Query>, timeRange: TimeRange): Observable<Annotated> {
  const support = datasource.annotations;
  const annotation: AnnotationQuery<Query> = support?.prepareAnnotation?.(saved) ?? saved;
  const query = support?.prepareQuery?.(annotation) ?? annotation.target;
  if (!query || !support?.processEvents) {
    return of(NOTHING);
  }
  const process = support.processEvents.bind(support);
  const queries = [{ ...query, refId: 'Anno', datasource: datasource.getRef() }];
  return runQuery({ datasource, queries, timeRange, app: CoreApp.Dashboard, requestId: 'annotation' }).pipe(
    mergeMap(({ series, errors = [] }) =>
      process(annotation, series).pipe(
        map((events = []) => ({
          events,
          notices: [
            ...noticesOf(series),
            ...errors.map((error) => ({ severity: 'warning' as const, text: errorText(error) })),
          ],
        }))
      )
    )
  );
}
