import React, { useCallback, useEffect, useState } from 'react';
import { css } from '@emotion/css';
import { type AnnotationQuery, type GrafanaTheme2, LoadingState, rangeUtil } from '@grafana/data';
import { RefreshPicker, Stack, useStyles2 } from '@grafana/ui';
import { TimeControls } from '../components/TimeControls';
import { useTimeRange } from '../data/useTimeRange';
import { CurvesPanel } from '../panels/CurvesPanel';
import { JobsPanel } from '../panels/JobsPanel';
import { UtilizationPanel } from '../panels/UtilizationPanel';
import { type DataSource, type Query } from '../plugin/loadPlugin';

const DEFAULT_REFRESH = '30s';

interface Props {
  datasource: DataSource;
  annotation: AnnotationQuery<Query>;
}

/** A dashboard in small: how busy the GPUs are, and the fine-tuning jobs that keep them so. */
export function PanelView({ datasource, annotation }: Props) {
  const styles = useStyles2(getStyles);
  const time = useTimeRange({ from: 'now-6h', to: 'now' });
  const [refresh, setRefresh] = useState(DEFAULT_REFRESH);
  const [state, setState] = useState(LoadingState.NotStarted);
  useAutoRefresh(refresh, time.refresh);

  return (
    <Stack direction="column" gap={2}>
      <Stack justifyContent="flex-end">
        <TimeControls control={time} />
        <RefreshPicker
          isOnCanvas
          value={refresh}
          isLoading={state === LoadingState.Loading}
          onRefresh={time.refresh}
          onIntervalChanged={setRefresh}
        />
      </Stack>
      <div className={styles.wide}>
        <UtilizationPanel datasource={datasource} annotation={annotation} time={time} onState={setState} />
      </div>
      <div className={styles.beside}>
        <JobsPanel datasource={datasource} timeRange={time.timeRange} />
        <CurvesPanel datasource={datasource} time={time} />
      </div>
    </Stack>
  );
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
  wide: css({ height: theme.spacing(72) }),
  beside: css({
    display: 'grid',
    gridAutoRows: theme.spacing(48),
    gap: theme.spacing(2),
    [theme.breakpoints.up('lg')]: { gridTemplateColumns: 'minmax(0, 3fr) minmax(0, 2fr)' },
  }),
});
