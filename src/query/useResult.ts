import { useEffect, useState } from 'react';
import type { DataFrame, DataQueryRequest } from '@grafana/data';
import type { QueryRunner } from '../queryFrames';
import { errorMessage, responseErrors } from '../responseErrors';
import type { GpuCloudQuery } from '../types';

/** What an editor reads of the frames of a query of its own. */
interface Content<Item> {
  items: Item[];
  /** About the result, besides the notices of its frames. */
  notices?: string[];
}

export interface Result<Item> {
  items: Item[];
  /** About the result. */
  notices: string[];
  /** Why there is no result, in a sentence. */
  error?: string;
  loading: boolean;
}

/**
 * Runs a query of an editor's own whenever its key changes. The last result stays while the next one is loaded.
 *
 * @param key stands for the request and for how its result is read; without one, there is nothing to run. By value, because
 *   Grafana makes a new query and a new range for every rendering, and a range up to now moves on
 */
export function useResult<Item>(
  dataSource: QueryRunner,
  key: string,
  request: DataQueryRequest<GpuCloudQuery>,
  read: (frames: DataFrame[]) => Content<Item>
): Result<Item> {
  const [result, setResult] = useState<Omit<Result<Item>, 'loading'> & { of: string }>({ ...NOTHING, of: '' });

  useEffect(() => {
    if (!key) {
      return;
    }
    const running = dataSource.query(request).subscribe({
      next: (response) => {
        const frames: DataFrame[] = response.data;
        const { items, notices = [] } = read(frames);
        const ofFrames = frames.flatMap(({ meta }) => meta?.notices ?? []).map(({ text }) => text);
        const [error] = responseErrors(response);
        setResult({ items, notices: [...ofFrames, ...notices], error: error && errorMessage(error), of: key });
      },
      error: (error: Error) => setResult({ ...NOTHING, error: errorMessage(error), of: key }),
    });
    return () => running.unsubscribe();
    // The key stands for the request and for how its result is read.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, dataSource]);

  return key ? { ...result, loading: result.of !== key } : { ...NOTHING, loading: false };
}

const NOTHING = { items: [], notices: [] };
