import { useEffect, useState } from 'react';
import {
  CoreApp,
  getDefaultTimeRange,
  type AnnotationEvent,
  type DataFrame,
  type DataQueryResponse,
  type TimeRange,
} from '@grafana/data';
import type { GpuCloud } from '../GpuCloud';
import { errorMessage, responseErrors } from '../responseErrors';
import { pickOwnFields } from '../saved/ownFields';
import { eventsOf, type DrawnQuery } from './events';

/** What an annotation would draw. */
export interface Drawn {
  loading: boolean;
  events: AnnotationEvent[];
  /** About the result. */
  notices: string[];
  /** Why there is no result. */
  error?: string;
}

/** A result, and the query that it belongs to. */
interface Result extends Omit<Drawn, 'loading'> {
  to: string;
}

const NOTHING: Result = { to: '', events: [], notices: [] };

/**
 * Runs an annotation's query whenever it changes. Grafana runs it too, but passes the result of the query before,
 * because it does so while the change is under way.
 */
export function useAnnotationPreview(
  query: DrawnQuery,
  datasource: GpuCloud,
  iconColor: string,
  range: TimeRange = getDefaultTimeRange()
): Drawn {
  const [result, setResult] = useState(NOTHING);
  // By value: Grafana makes a new query and a new range for every rendering, and a range up to now moves on.
  const key = JSON.stringify([pickOwnFields(query), range.raw, iconColor]);

  useEffect(() => {
    const finish = (finished: Omit<Result, 'to'>) => setResult({ ...finished, to: key });
    const response = datasource.query({
      app: CoreApp.Dashboard,
      requestId: 'gpucloud-annotation-preview',
      interval: '1m',
      intervalMs: 60_000,
      range,
      scopedVars: {},
      startTime: Date.now(),
      targets: [query],
      timezone: 'browser',
    });
    const running = response.subscribe({
      next: (done) => finish(read(done, query, iconColor, range)),
      error: (error: Error) => finish({ events: [], notices: [], error: errorMessage(error) }),
    });
    return () => running.unsubscribe();
    // The key stands for the query, the color and the range.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, datasource]);

  return { ...result, loading: result.to !== key };
}

function read(
  response: DataQueryResponse,
  query: DrawnQuery,
  iconColor: string,
  { from, to }: TimeRange
): Omit<Result, 'to'> {
  const frames: DataFrame[] = response.data;
  const { events, notices } = eventsOf(query, frames, iconColor);
  const inRange = events.filter(({ time = NaN, timeEnd = time }) => time <= to.valueOf() && timeEnd >= from.valueOf());
  const outside = events.length - inRange.length;
  const fromBackend = frames.flatMap((frame) => frame.meta?.notices ?? []).map(({ text }) => text);
  const [error] = responseErrors(response);
  return {
    events: inRange,
    notices: [
      ...fromBackend,
      ...notices,
      ...(outside > 0 ? [`${outside === 1 ? '1 event lies' : `${outside} events lie`} outside this range.`] : []),
    ],
    error: error && errorMessage(error),
  };
}
