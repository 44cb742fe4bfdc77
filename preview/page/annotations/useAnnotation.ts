import { useEffect, useState } from 'react';
import { type AnnotationQuery, type TimeRange } from '@grafana/data';
import { type DataSource, type Query } from '../plugin/loadPlugin';
import { type AnnotationAnswer, runAnnotation } from './runAnnotation';

const NOTHING: AnnotationAnswer = { events: [], notices: [] };

/**
 * The events of an annotation in a time range. The last answer stays while the next one loads; a failure is an answer
 * with a text, never an exception, so that a panel can't fail because of what is drawn over it.
 *
 * @param annotation what is asked; undefined asks nothing
 */
export function useAnnotation(
  datasource: DataSource,
  annotation: AnnotationQuery<Query> | undefined,
  timeRange: TimeRange
): AnnotationAnswer {
  const [answer, setAnswer] = useState(NOTHING);

  useEffect(() => {
    if (!annotation) {
      return undefined;
    }
    const running = runAnnotation(datasource, annotation, timeRange).subscribe({
      next: setAnswer,
      error: (error: Error) => setAnswer({ ...NOTHING, error: error.message }),
    });
    return () => running.unsubscribe();
  }, [datasource, annotation, timeRange]);

  return annotation ? answer : NOTHING;
}
