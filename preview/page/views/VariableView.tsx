import React, { useEffect, useState } from 'react';
import { CoreApp, type CustomVariableSupport, LoadingState, type MetricFindValue } from '@grafana/data';
import { Badge, Stack, Text } from '@grafana/ui';
import { from } from 'rxjs';
import { EditorFrame } from '../components/EditorFrame';
import { Notices } from '../components/Results';
import { TimeControls, useTimeRange } from '../components/TimeControls';
import { createRequest } from '../data/runQuery';
import { type DataSource, type Query } from '../plugin/loadPlugin';

/** How many values Grafana's own preview shows at first. */
const SHOWN = 20;

interface Props {
  datasource: DataSource;
  query: Query;
  onChange: (query: Query) => void;
}

/** A dashboard variable's settings: the plugin's variable editor, and the values that its query has. */
export function VariableView({ datasource, query, onChange }: Props) {
  const time = useTimeRange();
  const { timeRange } = time;
  const support = datasource.variables as CustomVariableSupport<DataSource, Query>;
  const [values, setValues] = useState<MetricFindValue[]>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const run = { datasource, queries: [], timeRange, app: CoreApp.Dashboard, requestId: 'variable' };
    const request = { ...createRequest(run), targets: [query] };
    const running = from(support.query(request)).subscribe({
      next: ({ data }) => {
        setValues(data as MetricFindValue[]);
        setError(undefined);
      },
      error: (failure: Error) => setError(failure.message),
    });
    return () => running.unsubscribe();
  }, [datasource, support, query, timeRange]);

  return (
    <Stack direction="column" gap={2}>
      <Stack justifyContent="flex-end">
        <TimeControls control={time} />
      </Stack>
      <EditorFrame label="Variable">
        <support.editor
          app={CoreApp.Dashboard}
          datasource={datasource}
          query={query}
          range={timeRange}
          data={{ state: LoadingState.Done, series: [], timeRange }}
          onChange={onChange}
          onRunQuery={time.refresh}
        />
      </EditorFrame>
      {error ? (
        <Notices errors={[error]} />
      ) : (
        values && (
          <section aria-label="Values">
            <Text element="h2" variant="h6">
              {values.length === 1 ? '1 value' : `${values.length} values`}
            </Text>
            {values.slice(0, SHOWN).map(({ text, value }) => (
              <Badge key={String(value ?? text)} color="blue" text={text} />
            ))}
          </section>
        )
      )}
    </Stack>
  );
}
