import { useCallback, useEffect, useRef, useState } from 'react';
import { type Subscription } from 'rxjs';
import { LoadingState, type PanelData } from '@grafana/data';
import { type QueryRun, runQuery } from './runQuery';

interface QueryRunner {
  data: PanelData | undefined;
  run: (what: QueryRun) => void;
  cancel: () => void;
}

/** Runs queries and holds the last result, which stays on screen while the next one loads. */
export function useQueryRunner(): QueryRunner {
  const [data, setData] = useState<PanelData>();
  const running = useRef<Subscription>(undefined);

  const run = useCallback((what: QueryRun) => {
    running.current?.unsubscribe();
    setData((previous) => ({
      ...(previous ?? { series: [], timeRange: what.timeRange }),
      state: LoadingState.Loading,
    }));
    running.current = runQuery(what).subscribe(setData);
  }, []);

  const cancel = useCallback(() => {
    running.current?.unsubscribe();
    setData((previous) => previous && { ...previous, state: LoadingState.Done });
  }, []);

  useEffect(() => () => running.current?.unsubscribe(), []);

  return { data, run, cancel };
}
