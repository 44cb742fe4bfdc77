import React, { useState } from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { BackendSrvRequest } from '@grafana/runtime';
import { CONFIGURED, createDataSource, fakeGrafana } from '../testing/grafana';
import { twoRuns } from '../testing/runs';
import { choose } from '../testing/user';
import type { GpuCloudVariableQuery } from './query';
import type { VariableSupport } from './VariableSupport';

const SETTINGS = { ...CONFIGURED, projectId: 'p-1' };

/** Prometheus' metrics and the statuses of the gateway's jobs; else what there is of runs. */
const respond = (request: BackendSrvRequest) => {
  if (request.url.includes('/api/v1/')) {
    return { status: 'success', data: ['up'] };
  }
  return request.url.endsWith('/statuses') ? [{ status: 'failed', jobs: 1 }] : twoRuns(request);
};

/**
 * Shows the editor as Grafana does, which keeps the query, and returns a look at it. A dashboard of version 2 merges the saved
 * query into a changed one.
 */
function renderEditor(initial: unknown, { settings = SETTINGS, merging = false } = {}) {
  const { requests } = fakeGrafana(respond);
  const dataSource = createDataSource(settings);
  const { editor: Editor } = dataSource.variables as VariableSupport;
  let current = initial as GpuCloudVariableQuery;
  function Page() {
    const [query, setQuery] = useState(current);
    const onChange = (changed: GpuCloudVariableQuery) => {
      current = merging ? { ...current, ...changed } : changed;
      setQuery(current);
    };
    return <Editor datasource={dataSource} query={query} onChange={onChange} onRunQuery={() => {}} />;
  }
  render(<Page />);
  return { saved: () => JSON.parse(JSON.stringify(current)), requests };
}

const pick = async (name: string) => userEvent.click(await screen.findByRole('radio', { name }));

it('offers all of Prometheus’ query types, and saves a query in their shape', async () => {
  const { saved } = renderEditor({ refId: 'A' });

  await userEvent.click(await screen.findByRole('combobox', { name: 'Query type' }));
  const offered = (await screen.findAllByRole('option')).map((option) => option.textContent);
  await userEvent.click(screen.getByRole('option', { name: 'Label names' }));

  expect(offered).toEqual(['Label names', 'Label values', 'Metrics', 'Query result', 'Series query', 'Classic query']);
  expect(saved()).toMatchObject({ query: 'label_names()', qryType: 0 });
});

it('leaves nothing of what the values came from before', async () => {
  const source = { kind: 'series', expr: 'loss', by: ['pod'] };
  const { saved } = renderEditor({ refId: 'A', queryType: 'runLabels', label: 'model', source }, { merging: true });

  await pick('Metrics');

  expect(saved()).toEqual({ refId: 'A', query: '' });
});

it('edits what jobs there are, also in the place of a new variable’s empty text', async () => {
  const { saved } = renderEditor('');

  await pick('Fine-tuning');
  expect(saved()).toEqual({ refId: 'GpuCloudVariable', queryType: 'fineTuningJobs' });
  await choose('Status', /failed/);
  expect(saved()).toEqual({ refId: 'GpuCloudVariable', queryType: 'fineTuningJobs', statuses: ['failed'] });
});

it('edits the source of runs', async () => {
  const { saved } = renderEditor({ refId: 'A' });

  await pick('Runs');
  await pick('Label values');
  await userEvent.type(screen.getByRole('textbox', { name: 'Label (optional)' }), 'model{Enter}');
  await pick('PromQL series');

  const source = { kind: 'series', expr: '', by: [] };
  expect(saved()).toEqual({ refId: 'A', queryType: 'runLabels', label: 'model', source });
  expect(screen.getByPlaceholderText('pod_name')).toBeInTheDocument();
});

it('takes the path of a ready-made list, whose first member becomes the value', async () => {
  const { saved } = renderEditor({ refId: 'A', query: '' });

  await pick('Main API');
  await pick('API list');
  await choose('Ready-made list', /Disks/);

  const path = '/v1/projects/{projectId}/storage/disks';
  expect(saved()).toMatchObject({ queryType: 'platform', path, valueSelector: 'id' });
  expect(saved()).not.toHaveProperty('columns');
});

it('shows what was written by hand: of jobs', async () => {
  renderEditor({ refId: 'A', queryType: 'fineTuningJobs', statuses: 'failed' });
  expect(await screen.findByText('failed')).toBeInTheDocument();
});

it('shows what was written by hand: of a list', async () => {
  const list = { path: '/v1/x', params: 'a=b', columns: 'name', root: 1, maxPages: '2' };
  renderEditor({ refId: 'A', queryType: 'platform', ...list, valueSelector: 5 });
  expect(await screen.findByLabelText('Value')).toHaveValue('5');
});

it.each([
  [{ refId: 'A', queryType: 'fineTuningJobs' }, 'Fine-tuning'],
  [{ refId: 'A', query: '' }, 'Metrics'],
  [{ refId: 'A', queryType: 'platform', path: '' }, 'Main API'],
])('says once that the service of %j is not configured', async (query, service) => {
  const { requests } = renderEditor(query, { settings: {} as typeof SETTINGS });

  expect(await screen.findByRole('alert', { name: `${service} is not configured` })).toBeInTheDocument();
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  expect(requests).toEqual([]);
});
