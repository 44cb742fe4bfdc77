import React, { useCallback, useEffect, useMemo, useState } from 'react';
import { css } from '@emotion/css';
import { CoreApp, type FieldConfig, type GrafanaTheme2, LoadingState, rangeUtil } from '@grafana/data';
import { EmptyState, PanelChrome, RefreshPicker, Stack, useStyles2 } from '@grafana/ui';
import { Graph } from '../components/Graph';
import { TimeControls } from '../components/TimeControls';
import { graphFrames } from '../data/frames';
import { errorText } from '../data/runQuery';
import { useQueryRunner } from '../data/useQueryRunner';
import { useTimeRange } from '../data/useTimeRange';
import { type DataSource } from '../plugin/loadPlugin';

const EXPRESSION = 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)';
const DEFAULT_REFRESH = '30s';

const fieldDefaults: FieldConfig = {
  unit: 'percent',
  min: 0,
  max: 100,
  custom: { lineWidth: 1, showPoints: 'never' },
};

/** A dashboard's panel: GPU utilisation of each node over the last six hours. */
export function PanelView({ datasource }: { datasource: DataSource }) {
  const styles = useStyles2(getStyles);
  const time = useTimeRange({ from: 'now-6h', to: 'now' });
  const { data, run, cancel } = useQueryRunner();
  const [refresh, setRefresh] = useState(DEFAULT_REFRESH);
  const { timeRange, refresh: refreshTime } = time;

  const queries = useMemo(
    () => [
      { refId: 'A', datasource: datasource.getRef(), expr: EXPRESSION, range: true, legendFormat: '{{instance}}' },
    ],
    [datasource]
  );
  useEffect(
    () => run({ datasource, queries, timeRange, app: CoreApp.Dashboard, requestId: 'panel' }),
    [run, datasource, queries, timeRange]
  );
  useAutoRefresh(refresh, refreshTime);

  const frames = useMemo(() => graphFrames(data?.series ?? []), [data?.series]);
  const state = data?.state ?? LoadingState.NotStarted;
  const errors = data?.errors ?? [];

  return (
    <Stack direction="column" gap={2}>
      <Stack justifyContent="flex-end">
        <TimeControls control={time} />
        <RefreshPicker
          isOnCanvas
          value={refresh}
          isLoading={state === LoadingState.Loading}
          onRefresh={refreshTime}
          onIntervalChanged={setRefresh}
        />
      </Stack>
      <div className={styles.panel}>
        <PanelChrome
          title="GPU utilisation by node"
          description={`${EXPRESSION}\n\nAverage over the GPUs of each node.`}
          loadingState={state}
          statusMessage={errors.length > 0 ? errors.map(errorText).join('\n') : undefined}
          onCancelQuery={cancel}
        >
          <PanelBody isEmpty={frames.length === 0} state={state}>
            <Graph
              frames={frames}
              timeRange={timeRange}
              defaults={fieldDefaults}
              legend="table"
              onZoom={time.setTimeRange}
            />
          </PanelBody>
        </PanelChrome>
      </div>
    </Stack>
  );
}

function PanelBody({ isEmpty, state, children }: React.PropsWithChildren<{ isEmpty: boolean; state: LoadingState }>) {
  if (!isEmpty) {
    return children;
  }
  if (state === LoadingState.Done) {
    return <EmptyState variant="not-found" message="No data" />;
  }
  return null;
}

function useAutoRefresh(interval: string, refresh: () => void) {
  const start = useCallback(() => {
    if (!interval) {
      return undefined;
    }
    const timer = window.setInterval(refresh, rangeUtil.intervalToMs(interval));
    return () => window.clearInterval(timer);
  }, [interval, refresh]);
  useEffect(start, [start]);
}

const getStyles = (theme: GrafanaTheme2) => ({
  panel: css({ height: theme.spacing(84) }),
});
