import React, { useState } from 'react';
import { render } from '@testing-library/react';
import { CoreApp } from '@grafana/data';
import type { GpuCloudQueryEditorProps } from '../query/editorProps';
import { QueryEditor } from '../query/QueryEditor';
import type { GpuCloudOptions, GpuCloudQuery } from '../types';
import { CONFIGURED, createDataSource } from './grafana';

type Options = Partial<Pick<GpuCloudQueryEditorProps, 'app' | 'data'>> & {
  settings?: GpuCloudOptions;
  /** As version 2 dashboards do it: what a changed query leaves out stays. */
  merging?: boolean;
};

/** Shows the editor as Grafana does, which keeps the query, and returns a look at the query. */
export function renderQueryEditor(initial: object, { settings = CONFIGURED, merging, ...more }: Options = {}) {
  const datasource = createDataSource(settings);
  const onRunQuery = jest.fn();
  let current = ('refId' in initial ? initial : { refId: 'A', ...initial }) as GpuCloudQuery;
  function Page() {
    const [query, setQuery] = useState(current);
    const onChange = (changed: GpuCloudQuery) => {
      current = merging ? { ...current, ...changed } : changed;
      if (more.app === CoreApp.Explore) {
        // Explore's change of a query has no effect until the event is over.
        void Promise.resolve().then(() => setQuery(current));
      } else {
        setQuery(current);
      }
    };
    const props = { app: CoreApp.PanelEditor, ...more, datasource, query, onChange, onRunQuery };
    return <QueryEditor {...props} />;
  }
  const { rerender } = render(<Page />);
  return {
    query: () => current,
    saved: () => JSON.parse(JSON.stringify(current)),
    onRunQuery,
    rerender: () => rerender(<Page />),
  };
}
