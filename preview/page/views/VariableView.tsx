import React, { useEffect, useMemo, useState } from 'react';
import { css } from '@emotion/css';
import { CoreApp, type GrafanaTheme2, LoadingState, type MetricFindValue } from '@grafana/data';
import { Alert, Badge, Stack, Text, useStyles2 } from '@grafana/ui';
import { Lazy } from '../components/Lazy';
import { TimeControls } from '../components/TimeControls';
import { runVariable, variableSupportOf } from '../data/runVariable';
import { useTimeRange } from '../data/useTimeRange';
import { type DataSource, type Query } from '../plugin/loadPlugin';

/** How many values Grafana's own preview shows at first. */
const SHOWN = 20;

interface Props {
  datasource: DataSource;
  query: Query;
  onChange: (query: Query) => void;
}

/** A dashboard variable's settings in small: the plugin's variable editor, and the values that its query has. */
export function VariableView({ datasource, query, onChange }: Props) {
  const styles = useStyles2(getStyles);
  const time = useTimeRange({ from: 'now-6h', to: 'now' });
  const support = useMemo(() => variableSupportOf(datasource), [datasource]);
  if (!support) {
    return <Text>This data source has no editor for variables.</Text>;
  }
  const { editor: Editor } = support;

  return (
    <Stack direction="column" gap={2}>
      <Stack justifyContent="space-between" alignItems="center">
        <Text color="secondary">What a dashboard&rsquo;s choice offers.</Text>
        <TimeControls control={time} />
      </Stack>
      <section className={styles.editor} aria-label="Variable">
        <Lazy>
          <Editor
            app={CoreApp.Dashboard}
            datasource={datasource}
            query={query}
            range={time.timeRange}
            data={{ state: LoadingState.Done, series: [], timeRange: time.timeRange }}
            onChange={onChange}
            onRunQuery={time.refresh}
          />
        </Lazy>
      </section>
      <Values datasource={datasource} query={query} time={time} />
    </Stack>
  );
}

type Answer = { values: MetricFindValue[] } | { error: string };

function Values({
  datasource,
  query,
  time,
}: Pick<Props, 'datasource' | 'query'> & { time: ReturnType<typeof useTimeRange> }) {
  const styles = useStyles2(getStyles);
  const [answer, setAnswer] = useState<Answer>();
  const { timeRange } = time;
  useEffect(() => {
    const support = variableSupportOf(datasource);
    const running =
      support &&
      runVariable(support, query, timeRange).subscribe({
        next: (values) => setAnswer({ values }),
        error: (error: Error) => setAnswer({ error: error.message }),
      });
    return () => running?.unsubscribe();
  }, [datasource, query, timeRange]);

  if (!answer) {
    return null;
  }
  if ('error' in answer) {
    return <Alert severity="error" title={answer.error} />;
  }
  const { values } = answer;
  return (
    <section aria-label="Values">
      <Text element="h2" variant="h6">
        {values.length === 1 ? '1 value' : `${values.length} values`}
      </Text>
      <ul className={styles.values}>
        {values.slice(0, SHOWN).map(({ text, value }) => (
          <li key={String(value ?? text)}>
            <Badge color="blue" text={text} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  editor: css({
    background: theme.colors.background.primary,
    border: `1px solid ${theme.colors.border.weak}`,
    borderRadius: theme.shape.radius.default,
    padding: theme.spacing(2),
  }),
  values: css({
    display: 'flex',
    flexWrap: 'wrap',
    gap: theme.spacing(1),
    listStyle: 'none',
    marginTop: theme.spacing(1),
  }),
});
