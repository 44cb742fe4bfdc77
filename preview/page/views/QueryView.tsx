import React, { useCallback, useEffect, useRef, useState } from 'react';
import { css } from '@emotion/css';
import { CoreApp, type GrafanaTheme2, LoadingState } from '@grafana/data';
import { Button, EmptyState, IconButton, Stack, useStyles2 } from '@grafana/ui';
import { Lazy } from '../components/Lazy';
import { Results } from '../components/Results';
import { TimeControls, useTimeRange } from '../components/TimeControls';
import { useQueryRunner } from '../data/useQueryRunner';
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
  const time = useTimeRange();
  const { data, run, cancel } = useQueryRunner();
  const { timeRange } = time;
  const { QueryEditor, QueryEditorHelp } = plugin.components;
  const [showsHelp, setShowsHelp] = useState(false);

  // An editor changes its query and runs it in one go, before the change has been rendered.
  const latest = useRef(query);
  useEffect(() => {
    latest.current = query;
  }, [query]);
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
      {data ? (
        <Results data={data} />
      ) : (
        <EmptyState variant="call-to-action" message="Write a query and run it to see its result here." />
      )}
    </Stack>
  );
}

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
});
