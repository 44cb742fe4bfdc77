import { useEffect, useId, useState } from 'react';
import type { DataFrame, DataQueryRequest } from '@grafana/data';
import type { GpuCloud } from '../GpuCloud';
import { errorMessage, responseErrors } from '../responseErrors';
import type { GpuCloudQuery } from '../types';

type QuerySource = Pick<GpuCloud, 'query' | 'interpolateVariablesInQueries'>;

export interface Result {
  frames: DataFrame[];
  /** About the result. */
  notices: string[];
  /** Why there is no result, in a sentence. */
  error?: string;
  loading: boolean;
}

/**
 * Runs a query of an editor's own whenever it changes, or its filters, or the value of a variable in it. The last result stays while the next
 * one is loaded.
 *
 * @param request nothing if there is nothing to run
 */
export function useResult(dataSource: QuerySource, request: DataQueryRequest<GpuCloudQuery> | undefined): Result {
  const id = useId();
  const [result, setResult] = useState<Omit<Result, 'loading'> & { of: string }>({ ...NOTHING, of: '' });
  // By value, because Grafana makes a new query and a new range for every rendering, and a range up to now moves on.
  const key = request
    ? JSON.stringify([
        dataSource.interpolateVariablesInQueries(request.targets, {}),
        request.filters,
        request.range.raw,
      ])
    : '';

  useEffect(() => {
    if (!request) {
      return;
    }
    // Grafana cancels a request when another comes with the same id, from another editor for example.
    const running = dataSource.query({ ...request, requestId: `${request.requestId}-${id}` }).subscribe({
      next: (response) => {
        const frames: DataFrame[] = response.data;
        const notices = frames.flatMap(({ meta }) => meta?.notices ?? []).map(({ text }) => text);
        const [error] = responseErrors(response);
        setResult({ frames, notices, error: error && errorMessage(error), of: key });
      },
      error: (error: Error) => setResult({ ...NOTHING, error: errorMessage(error), of: key }),
    });
    return () => running.unsubscribe();
    // The key stands for the request.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, dataSource]);

  return request ? { ...result, loading: result.of !== key } : { ...NOTHING, loading: false };
}

const NOTHING = { frames: [], notices: [] };
