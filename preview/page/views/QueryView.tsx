import React, { type ComponentProps, useRef, useState } from 'react';
import { type AnnotationQuery, CoreApp, rangeUtil, type RawTimeRange } from '@grafana/data';
import { Button, IconButton, Stack, TimeRangeInput } from '@grafana/ui';
import { type DataSource, type Plugin, type Query } from '../plugin/loadPlugin';
import { usePanelData } from '../query';
import { useAnnotation } from './AnnotationView';
import { Editor } from './Editor';
import { Results } from './Results';

interface Props {
  datasource: DataSource;
  /** The plugin's query editor and its help. Without them, this is a panel with the GPU utilization of each node. */
  editors?: Plugin['components'];
  /** The query of a link. */
  linked?: Partial<Query>;
  /** What is drawn over the graph. */
  annotation?: AnnotationQuery<Query>;
}

const PANEL = { expr: 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)', range: true, legendFormat: '{{instance}}' };

/** Grafana's Explore in small: the plugin's query editor, and what its query returns as a graph and as a table. */
export function QueryView({ datasource, editors, linked, annotation }: Props) {
  const app = editors ? CoreApp.Explore : CoreApp.Dashboard;
  const [query, setQuery] = useState<Query>(() => ({
    ...(editors ? datasource.getDefaultQuery?.(app) : PANEL),
    ...linked,
    refId: 'A',
    datasource: datasource.getRef(),
  }));
  // An editor changes its query and runs it in one go, before the change has been rendered.
  const latest = useRef(query);
  const change = (next: Query) => {
    latest.current = next;
    setQuery(next);
  };
  const [raw, setRaw] = useState<RawTimeRange>({ from: 'now-6h', to: 'now' });
  // A new object for each run.
  const [run, setRun] = useState(() => ({
    query: editors ? undefined : query,
    timeRange: rangeUtil.convertRawToRange(raw),
  }));
  const runNow = () =>
    // The code editor hands over what was typed when it loses the focus, a moment after the button has been clicked.
    window.setTimeout(() => setRun({ query: { ...latest.current }, timeRange: rangeUtil.convertRawToRange(raw) }));
  const data = usePanelData(datasource, run.query, run.timeRange, app);
  const { events, failures } = useAnnotation(datasource, annotation, run.timeRange);

  return (
    <>
      <Stack justifyContent="flex-end">
        <TimeRangeInput
          value={rangeUtil.convertRawToRange(raw)}
          timeZone="browser"
          onChange={({ raw: next }) => {
            setRaw(next);
            setRun((last) => ({ ...last, timeRange: rangeUtil.convertRawToRange(next) }));
          }}
        />
        <Button icon="sync" onClick={runNow}>
          Run query
        </Button>
      </Stack>
      {editors && (
        <QueryEditors
          components={editors}
          {...{ app, datasource, query, data, range: run.timeRange, onChange: change, onRunQuery: runNow }}
        />
      )}
      {data && <Results data={data} events={events} failures={failures} />}
    </>
  );
}

type EditorProps = ComponentProps<NonNullable<Plugin['components']['QueryEditor']>>;

function QueryEditors({ components, ...props }: EditorProps & { components: Plugin['components'] }) {
  const [showsHelp, setShowsHelp] = useState(false);
  const QueryEditor = components.QueryEditor!;
  const QueryEditorHelp = components.QueryEditorHelp!;
  const { datasource, query, onChange, onRunQuery } = props;
  return (
    <>
      <IconButton
        name="question-circle"
        aria-label="Show data source help"
        onClick={() => setShowsHelp((isShown) => !isShown)}
      />
      {showsHelp && (
        <Editor label="Help">
          <QueryEditorHelp
            datasource={datasource}
            query={query}
            onClickExample={(example) => {
              onChange({ ...query, ...example, refId: query.refId });
              onRunQuery();
            }}
          />
        </Editor>
      )}
      <Editor label="Query A">
        <QueryEditor {...props} queries={[query]} history={[]} />
      </Editor>
    </>
  );
}
