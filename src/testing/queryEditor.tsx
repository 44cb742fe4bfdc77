import React, { useState } from 'react';
import { render } from '@testing-library/react';
import { CoreApp } from '@grafana/data';
import type { GpuCloudQueryEditorProps } from '../query/editorProps';
import { QueryEditor } from '../query/QueryEditor';
import type { GpuCloudOptions, GpuCloudQuery } from '../types';
import { CONFIGURED, createDataSource } from './grafana';

type Options = Partial<Pick<GpuCloudQueryEditorProps, 'app' | 'data'>> & { settings?: GpuCloudOptions };

/** Shows the editor as Grafana does, which keeps the query, and returns a look at the query. */
export function renderQueryEditor(initial: object, { settings = CONFIGURED, ...more }: Options = {}) {
  const datasource = createDataSource(settings);
  const onRunQuery = jest.fn();
  let current = ('refId' in initial ? initial : { refId: 'A', ...initial }) as GpuCloudQuery;
  function Page() {
    const [query, setQuery] = useState(current);
    const onChange = (changed: GpuCloudQuery) => {
      current = changed;
      setQuery(changed);
    };
    const props = { app: CoreApp.PanelEditor, ...more, datasource, query, onChange, onRunQuery };
    return <QueryEditor {...props} />;
  }
  render(<Page />);
  return { query: () => current, onRunQuery };
}
