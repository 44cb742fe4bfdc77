import { useEffect, useState } from 'react';
import {
  CoreApp,
  DataFrameView,
  getDefaultTimeRange,
  type DataFrame,
  type DataQueryRequest,
  type DataQueryResponse,
  type TimeRange,
} from '@grafana/data';
import type { QueryRunner } from '../../queryFrames';
import { errorMessage, responseErrors } from '../../responseErrors';
import { sourceProblem } from '../../runs/problem';
import type { RunGpus, RunSource } from '../../runs/query';
import type { GpuCloudQuery } from '../../types';

/** A run as lists of editors show it. Times are milliseconds since 1970. */
export interface FoundRun {
  id: string;
  name: string;
  status: string;
  start: number;
  /** Seconds. */
  length: number;
  gpus?: number | null;
  attribution?: string;
}

export interface FoundRuns {
  runs: FoundRun[];
  loading: boolean;
  notices: string[];
  /** Why there are none, in a sentence. */
  error?: string;
}

interface Result extends Omit<FoundRuns, 'loading'> {
  /** The source and the range that it belongs to. */
  of: string;
}

const NOTHING: Result = { of: '', runs: [], notices: [] };

/** The runs of a source in a time range, with their GPUs. They are loaded again whenever one of both changes. */
export function useFoundRuns(
  datasource: QueryRunner,
  { source, selector }: RunGpus & { source: RunSource },
  range: TimeRange = getDefaultTimeRange()
): FoundRuns {
  const [result, setResult] = useState(NOTHING);
  const isBlank = sourceProblem(source) !== undefined;
  // By value: Grafana makes a new query and a new range for every rendering, and a range up to now moves on.
  const key = isBlank ? '' : JSON.stringify([source, selector, range.raw]);

  useEffect(() => {
    if (!key) {
      return;
    }
    const running = datasource.query(foundRequest(source, selector, range)).subscribe({
      next: (response) => setResult({ of: key, ...read(response) }),
      error: (error: Error) => setResult({ of: key, runs: [], notices: [], error: errorMessage(error) }),
    });
    return () => running.unsubscribe();
    // The key stands for the source, the selector and the range.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, datasource]);

  // The runs of the last source stay while those of the next are loaded.
  return key ? { ...result, loading: result.of !== key } : { ...NOTHING, loading: false };
}

/** The query for the runs of a source. */
export function foundRequest(
  source: RunSource,
  selector: string | undefined,
  range: TimeRange
): DataQueryRequest<GpuCloudQuery> {
  return {
    app: CoreApp.Unknown,
    requestId: 'gpucloud-found-runs',
    interval: '1m',
    intervalMs: 60_000,
    range,
    scopedVars: {},
    startTime: Date.now(),
    targets: [{ refId: 'runs', queryType: 'runs', source, selector, measures: ['gpus'] }],
    timezone: 'browser',
  };
}

interface Row extends Omit<FoundRun, 'id' | 'name'> {
  run_id: string;
  run: string;
}

function read(response: DataQueryResponse): Omit<Result, 'of'> {
  const frames: DataFrame[] = response.data;
  const [error] = responseErrors(response);
  return {
    runs: frames
      .filter(({ fields }) => fields.some(({ name }) => name === 'run_id'))
      .flatMap((frame) => new DataFrameView<Row>(frame).toArray())
      .map(({ run_id: id, run, ...rest }) => ({ ...rest, id, name: run || id })),
    notices: frames.flatMap(({ meta }) => meta?.notices ?? []).map(({ text }) => text),
    error: error && errorMessage(error),
  };
}
