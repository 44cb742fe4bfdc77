import React, { useState } from 'react';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp, type DataSourceSettings } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { ConfigEditor } from '../config/ConfigEditor';
import { QueryEditor } from '../query/QueryEditor';
import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { GpuCloudOptions, GpuCloudQuery, GpuCloudSecrets } from '../types';

// What a later version of the plugin has saved must survive an older one's editors.
const later = { somethingNew: { nested: [1, 'two'] }, alsoNew: false };

const answer = ({ url }: BackendSrvRequest) => (url.includes('/resources/api/') ? { status: 'success', data: [] } : []);

beforeEach(() => localStorage.clear());

/** Shows the editor as Grafana does, which keeps the query, and returns a look at it. */
async function renderQuery(initial: object): Promise<() => GpuCloudQuery> {
  fakeGrafana(answer);
  const dataSource = createDataSource();
  let current = initial as GpuCloudQuery;
  function Page() {
    const [query, setQuery] = useState(current);
    const onChange = (changed: GpuCloudQuery) => {
      current = changed;
      setQuery(changed);
    };
    return (
      <QueryEditor
        app={CoreApp.PanelEditor}
        datasource={dataSource}
        query={query}
        onChange={onChange}
        onRunQuery={() => {}}
      />
    );
  }
  await act(async () => {
    render(<Page />);
  });
  return () => current;
}

describe('a change of one option keeps what this version does not know, in', () => {
  const cases: Array<[name: string, saved: object, choice: string, changed: object]> = [
    ['PromQL', { refId: 'A', expr: 'up', editorMode: 'builder' }, 'Code', { editorMode: 'code' }],
    ['fine-tuning jobs', { refId: 'A', queryType: 'fineTuningJobs' }, 'Timeline', { format: 'timeline' }],
    ['capacities', { refId: 'A', queryType: 'capacities' }, 'Number', { format: 'number' }],
  ];

  it.each(cases)('%s', async (_name, saved, choice, changed) => {
    const query = await renderQuery({ ...saved, ...later });

    await userEvent.click(await screen.findByRole('radio', { name: choice }));

    expect(query()).toMatchObject({ ...saved, ...changed, ...later });
  });
});

it('drops what PromQL and other types have left in a query', async () => {
  const query = await renderQuery({
    refId: 'A',
    queryType: 'fineTuningJobs',
    expr: 'up',
    range: true,
    purposes: ['fine-tune'],
  });

  await userEvent.click(await screen.findByRole('radio', { name: 'Timeline' }));

  expect(query()).toEqual({ refId: 'A', queryType: 'fineTuningJobs', format: 'timeline' });
});

it('a query with unknown options is asked with them', () => {
  fakeGrafana();
  const saved = { refId: 'A', queryType: 'fineTuningJobs', ...later } as GpuCloudQuery;

  expect(createDataSource().applyTemplateVariables(saved, {})).toMatchObject(later);
});

it('a change of one setting keeps the others, also those that this version does not know', async () => {
  type Settings = DataSourceSettings<GpuCloudOptions, GpuCloudSecrets>;
  const jsonData = { projectId: 42, httpHeaderName1: 'X-Team', ...later } as GpuCloudOptions;
  const saved = {
    jsonData,
    secureJsonFields: { monitoringToken: true, laterSecret: true },
    type: 'gpucloud-platform-datasource',
  } as unknown as Settings;
  let current = saved;
  function Page() {
    const [options, setOptions] = useState(saved);
    const onOptionsChange = (changed: Settings) => {
      current = changed;
      setOptions(changed);
    };
    return <ConfigEditor options={options} onOptionsChange={onOptionsChange} />;
  }
  render(<Page />);

  await userEvent.type(screen.getByLabelText(/^base address/i), 'https://api.example.com');

  expect(current.jsonData).toEqual({ ...jsonData, baseUrl: 'https://api.example.com' });
  expect(current.secureJsonFields).toEqual(saved.secureJsonFields);
});
