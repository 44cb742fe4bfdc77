import { useEffect, useState } from 'react';
import {
  CoreApp,
  getDefaultTimeRange,
  type AnnotationEvent,
  type DataFrame,
  type DataQueryResponse,
  type TimeRange,
} from '@grafana/data';
import type { DataSource } from '../datasource';
import { withoutLeftovers } from '../saved/leftovers';
import { eventsOf, type DrawnQuery } from './events';

/** What an annotation would draw. */
export interface Drawn {
  loading: boolean;
  events: AnnotationEvent[];
  /** What there is to say about the answer. */
  notices: string[];
  /** Why there is no answer. */
  problem?: string;
}

/** An answer, and the question that it answers. */
interface Answer extends Omit<Drawn, 'loading'> {
  to: string;
}

const NOTHING: Answer = { to: '', events: [], notices: [] };

/**
 * Runs an annotation's query whenever it changes. Grafana runs it too, but hands over the answer to the query before,
 * because it does so while the change is under way.
 */
export function useDrawnEvents(
  query: DrawnQuery,
  datasource: DataSource,
  iconColor: string,
  range: TimeRange = getDefaultTimeRange()
): Drawn {
  const [answer, setAnswer] = useState(NOTHING);
  // By value: Grafana makes a new query and a new range for every rendering, and a range up to now moves on.
  const question = JSON.stringify([withoutLeftovers(query), range.raw, iconColor]);

  useEffect(() => {
    const finish = (answered: Omit<Answer, 'to'>) => setAnswer({ ...answered, to: question });
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
      next: (done) => finish(read(done, query, iconColor)),
      error: () => finish(FAILED),
    });
    return () => running.unsubscribe();
    // The question stands for the query, the colour and the range.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [question, datasource]);

  return { ...answer, loading: answer.to !== question };
}

const FAILED = { events: [], notices: [], problem: 'The query could not be run.' };

function read({ data, errors }: DataQueryResponse, query: DrawnQuery, iconColor: string): Omit<Answer, 'to'> {
  const frames: DataFrame[] = data;
  const { events, notices } = eventsOf(query, frames, iconColor);
  const fromBackend = frames.flatMap((frame) => frame.meta?.notices ?? []).map(({ text }) => text);
  return {
    events,
    notices: [...fromBackend, ...notices],
    problem: errors?.[0] && (errors[0].message ?? FAILED.problem),
  };
}
