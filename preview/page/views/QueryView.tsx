import React, { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { css } from '@emotion/css';
import { CoreApp, type GrafanaTheme2, LoadingState } from '@grafana/data';
import { Button, EmptyState, IconButton, PanelChrome, Stack, useStyles2 } from '@grafana/ui';
import { Graph } from '../components/Graph';
import { Lazy } from '../components/Lazy';
import { Notices } from '../components/Notices';
import { Numbers } from '../components/Numbers';
import { ResultTable } from '../components/ResultTable';
import { TimeControls } from '../components/TimeControls';
import { graphFrames, noticesOf, numberFrames, tableFrame } from '../data/frames';
import { useQueryRunner } from '../data/useQueryRunner';
import { useTimeRange } from '../data/useTimeRange';
import { type DataSource, type Plugin, type Query } from '../plugin/loadPlugin';

interface Props {
  plugin: Plugin;
  datasource: DataSource;
  query: Query;
  onChange: (query: Query) => void;
}

/** Grafana's Explore in small: the plugin's query editor, and what its query returns as a graph and a table. */
export function QueryView({ plugin, datasource, query, onChange }: Props) {
  const styles = useStyles2(getStyles);
  const time = useTimeRange({ from: 'now-6h', to: 'now' });
  const { data, run, cancel } = useQueryRunner();
  const { timeRange } = time;
  const { QueryEditor, QueryEditorHelp } = plugin.components;
  const [showsHelp, setShowsHelp] = useState(false);

  // An editor changes its query and asks to run it in one go, before the change has been rendered.
  const latest = useRef(query);
  const change = useCallback(
    (next: Query) => {
      latest.current = next;
      onChange(next);
    },
    [onChange]
  );
  const runLatest = useCallback(
    () => run({ datasource, queries: [latest.current], timeRange, app: CoreApp.Explore, requestId: 'explore' }),
    [run, datasource, timeRange]
  );
  // A query that has been run once follows the time range.
  const hasRun = useRef(false);
  useEffect(() => {
    if (hasRun.current) {
      runLatest();
    }
  }, [runLatest]);
  const runNow = () => {
    hasRun.current = true;
    // The code editor hands over what was typed when it loses the focus, a moment after the button has been clicked.
    window.setTimeout(time.refresh);
  };

  const loading = data?.state === LoadingState.Loading;
  return (
    <Stack direction="column" gap={2}>
      <Stack justifyContent="flex-end">
        <TimeControls control={time} />
        {loading ? (
          <Button icon="times" variant="destructive" onClick={cancel}>
            Cancel
          </Button>
        ) : (
          <Button icon="sync" onClick={runNow}>
            Run query
          </Button>
        )}
      </Stack>
      <section className={styles.query} aria-label="Query A">
        <header className={styles.queryHeader}>
          <div>
            {query.refId} <span className={styles.dataSource}>({datasource.name})</span>
          </div>
          {QueryEditorHelp && (
            <IconButton
              name="question-circle"
              aria-label="Show data source help"
              aria-expanded={showsHelp}
              onClick={() => setShowsHelp(!showsHelp)}
            />
          )}
        </header>
        {showsHelp && QueryEditorHelp && (
          <section className={styles.help} aria-label="Help">
            <QueryEditorHelp
              datasource={datasource}
              query={query}
              onClickExample={(example) => {
                change({ ...example, refId: query.refId, datasource: query.datasource });
                setShowsHelp(false);
                runNow();
              }}
            />
          </section>
        )}
        {QueryEditor && (
          <Lazy>
            <QueryEditor
              app={CoreApp.Explore}
              datasource={datasource}
              query={query}
              queries={[query]}
              data={data}
              range={timeRange}
              history={[]}
              onChange={change}
              onRunQuery={runNow}
            />
          </Lazy>
        )}
      </section>
      <Results data={data} onZoom={time.setTimeRange} />
    </Stack>
  );
}

interface ResultsProps {
  data: ReturnType<typeof useQueryRunner>['data'];
  onZoom: React.ComponentProps<typeof Graph>['onZoom'];
}

function Results({ data, onZoom }: ResultsProps) {
  const styles = useStyles2(getStyles);
  const series = data?.series;
  const graph = useMemo(() => graphFrames(series ?? []), [series]);
  const numbers = useMemo(() => numberFrames(series ?? []), [series]);
  const table = useMemo(() => (numbers.length > 0 ? undefined : tableFrame(series ?? [])), [numbers, series]);
  const notices = useMemo(() => noticesOf(series ?? []), [series]);
  if (!data) {
    return <EmptyState variant="call-to-action" message="Write a query and run it to see its result here." />;
  }
  const errors = data.errors ?? [];
  const isEmpty = graph.length === 0 && numbers.length === 0 && !table?.length;
  return (
    <>
      <Notices errors={errors} notices={notices} />
      {isEmpty && errors.length === 0 && data.state === LoadingState.Done && (
        <EmptyState variant="not-found" message="No data" />
      )}
      {graph.length > 0 && (
        <div className={styles.graph}>
          <PanelChrome title="Graph" loadingState={data.state}>
            <Graph frames={graph} timeRange={data.timeRange} defaults={lines} legend="list" onZoom={onZoom} />
          </PanelChrome>
        </div>
      )}
      {numbers.length > 0 && (
        <PanelChrome title="Numbers" loadingState={data.state}>
          <Numbers frames={numbers} />
        </PanelChrome>
      )}
      {table && table.length > 0 && (
        <div className={styles.table}>
          <PanelChrome title="Table" loadingState={data.state} padding="none">
            <ResultTable frame={table} />
          </PanelChrome>
        </div>
      )}
    </>
  );
}

const lines = { custom: { lineWidth: 1, showPoints: 'never' } };

const getStyles = (theme: GrafanaTheme2) => ({
  query: css({
    background: theme.colors.background.primary,
    border: `1px solid ${theme.colors.border.weak}`,
    borderRadius: theme.shape.radius.default,
    padding: theme.spacing(1),
  }),
  queryHeader: css({
    display: 'flex',
    justifyContent: 'space-between',
    color: theme.colors.text.link,
    fontWeight: theme.typography.fontWeightMedium,
    padding: theme.spacing(0.5, 1, 1),
  }),
  help: css({ padding: theme.spacing(1) }),
  dataSource: css({ color: theme.colors.text.secondary, fontStyle: 'italic', fontWeight: 'normal' }),
  graph: css({ height: theme.spacing(50) }),
  table: css({ height: theme.spacing(44) }),
});
