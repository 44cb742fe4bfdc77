import React, { useEffect, useState } from 'react';
import { from } from 'rxjs';
import { CoreApp, type CustomVariableSupport, LoadingState, type MetricFindValue } from '@grafana/data';
import { Badge, Text } from '@grafana/ui';
import { type DataSource, type Query } from '../plugin/loadPlugin';
import { createRequest, lastHours } from '../query';
import { Editor } from './Editor';

/** How many values Grafana's own preview shows at first. */
const SHOWN = 20;

/** A dashboard variable's settings: the plugin's variable editor, and the values that its query has. */
export function VariableView({ datasource }: { datasource: DataSource }) {
  const support = datasource.variables as CustomVariableSupport<DataSource, Query>;
  const [query, setQuery] = useState<Query>({ refId: 'Variable', queryType: 'fineTuningJobs' });
  const [range, setRange] = useState(lastHours);
  const [values, setValues] = useState<MetricFindValue[]>([]);
  useEffect(() => {
    const running = from(support.query(createRequest(datasource, query, range, CoreApp.Dashboard))).subscribe({
      next: ({ data }) => setValues(data as MetricFindValue[]),
      error: (failure: Error) => setValues([{ text: failure.message }]),
    });
    return () => running.unsubscribe();
  }, [datasource, support, query, range]);

  return (
    <>
      <Editor label="Variable">
        <support.editor
          app={CoreApp.Dashboard}
          datasource={datasource}
          query={query}
          range={range}
          data={{ state: LoadingState.Done, series: [], timeRange: range }}
          onChange={setQuery}
          onRunQuery={() => setRange(lastHours())}
        />
      </Editor>
      <Text element="h2" variant="h6">
        {`${values.length} values`}
      </Text>
      {values.slice(0, SHOWN).map(({ text, value }) => (
        <Badge key={String(value ?? text)} color="blue" text={text} />
      ))}
    </>
  );
}
