import React, { useEffect, useMemo } from 'react';
import { css } from '@emotion/css';
import { CoreApp, type DataFrame, LoadingState, type QueryResultMetaNotice, type TimeRange } from '@grafana/data';
import { EmptyState, PanelChrome, Text, useStyles2 } from '@grafana/ui';
import { noticesOf } from '../data/frames';
import { errorText } from '../data/runQuery';
import { useQueryRunner } from '../data/useQueryRunner';
import { type DataSource, type Query } from '../plugin/loadPlugin';
import { PanelNotes } from './PanelNotes';

interface Props {
  title: string;
  description: string;
  datasource: DataSource;
  queries: Query[];
  timeRange: TimeRange;
  /** Runs with the same id cancel one another. */
  requestId: string;
  /** Controls at the end of the panel's header. */
  actions?: React.ReactNode;
  /** Further notices, of what is drawn over the answer. */
  notices?: QueryResultMetaNotice[];
  /** Why something over the answer is missing. It doesn't make the panel fail. */
  warning?: string;
  /** Without the room around the content. */
  isFlush?: boolean;
  onState?: (state: LoadingState) => void;
  /** Picks the frames of an answer that can be drawn. */
  select: (series: DataFrame[]) => DataFrame[];
  /** Draws the frames, of which there is at least one. */
  children: (frames: DataFrame[], timeRange: TimeRange) => React.ReactNode;
}

/** A dashboard's panel: runs its queries whenever the time range changes, and says what went wrong with them. */
export function QueryPanel({ datasource, queries, timeRange, requestId, onState, select, children, ...panel }: Props) {
  const styles = useStyles2(getStyles);
  const { data, run, cancel } = useQueryRunner();
  useEffect(
    () => run({ datasource, queries, timeRange, app: CoreApp.Dashboard, requestId }),
    [run, datasource, queries, timeRange, requestId]
  );
  const state = data?.state ?? LoadingState.NotStarted;
  useEffect(() => onState?.(state), [onState, state]);
  const series = data?.series;
  const frames = useMemo(() => select(series ?? []), [select, series]);
  const error = data?.errors?.map(errorText).join('\n') || undefined;

  return (
    <PanelChrome
      title={panel.title}
      description={panel.description}
      loadingState={state}
      statusMessage={error}
      onCancelQuery={cancel}
      actions={panel.actions}
      titleItems={<PanelNotes notices={[...noticesOf(series ?? []), ...(panel.notices ?? [])]} />}
      padding={panel.isFlush ? 'none' : 'md'}
    >
      <div className={styles.panel}>
        {panel.warning && (
          <div role="status">
            <Text variant="bodySmall" color="warning">
              {panel.warning}
            </Text>
          </div>
        )}
        <div className={styles.content}>
          {data && frames.length > 0 ? children(frames, data.timeRange) : <Nothing state={state} error={error} />}
        </div>
      </div>
    </PanelChrome>
  );
}

/** Why there is nothing to see: what went wrong, or that nothing was found. */
function Nothing({ state, error }: { state: LoadingState; error?: string }) {
  const styles = useStyles2(getStyles);
  if (error) {
    return (
      <div className={styles.error}>
        <Text color="secondary">{error}</Text>
      </div>
    );
  }
  return state === LoadingState.Done ? <EmptyState variant="not-found" message="No data" /> : null;
}

const getStyles = () => ({
  panel: css({ display: 'flex', flexDirection: 'column', height: '100%' }),
  content: css({ flex: 1, minHeight: 0 }),
  error: css({
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'center',
    height: '100%',
    textAlign: 'center',
    whiteSpace: 'pre-line',
  }),
});
