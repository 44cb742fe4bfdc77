import { useCallback, useEffect, useRef, useState } from 'react';
import { type Subscription } from 'rxjs';
import { LoadingState, type PanelData, type TimeRange } from '@grafana/data';
import { type QueryRun, runQuery } from './runQuery';

interface QueryRunner {
  data: PanelData | undefined;
  run: (what: QueryRun) => void;
  cancel: () => void;
}

/** Runs queries and holds the last answer, which stays on screen while the next one loads. */
export function useQueryRunner(): QueryRunner {
  const [data, setData] = useState<PanelData>();
  const running = useRef<Subscription>();

  const run = useCallback((what: QueryRun) => {
    running.current?.unsubscribe();
    setData((previous) => ({ ...(previous ?? empty(what.timeRange)), state: LoadingState.Loading }));
    running.current = runQuery(what).subscribe({
      next: setData,
      error: (error: Error) =>
        setData({ ...empty(what.timeRange), state: LoadingState.Error, errors: [{ message: error.message }] }),
    });
  }, []);

  const cancel = useCallback(() => {
    running.current?.unsubscribe();
    setData((previous) => previous && { ...previous, state: LoadingState.Done });
  }, []);

  useEffect(() => () => running.current?.unsubscribe(), []);

  return { data, run, cancel };
}

function empty(timeRange: TimeRange): PanelData {
  return { state: LoadingState.NotStarted, series: [], timeRange };
}
