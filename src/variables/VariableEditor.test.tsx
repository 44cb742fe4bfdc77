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
const METRICS = ['DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL'];

/** Prometheus' metrics and the gateway's jobs; else what there is of runs. */
const respond = (request: BackendSrvRequest) => {
  if (request.url.includes('/api/v1/')) {
    return { status: 'success', data: METRICS };
  }
  return request.url.endsWith('/jobs') ? [{ id: 'ftjob-1', name: 'bot', status: 'failed' }] : twoRuns(request);
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

it('takes a query of the catalog, whose result are the values, and gives back what that has replaced', async () => {
  const before = { refId: 'A', qryType: 0, query: 'label_names()' };
  const { saved } = renderEditor(before, { merging: true });

  await userEvent.click(await screen.findByRole('button', { name: 'Catalog' }));
  await userEvent.click(await screen.findByLabelText('Search the catalog'));
  await userEvent.paste('nvlink bandwidth');
  await userEvent.click(await screen.findByText('NVLink bandwidth'));
  expect(saved()).toEqual({
    refId: 'A',
    qryType: 3,
    query: 'query_result(sum by (instance) (rate(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[$__range])))',
  });

  await userEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(saved()).toMatchObject(before);
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
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
  await pick('Checkpoints');
  await choose('Jobs', /bot/);

  expect(saved()).toEqual({ refId: 'GpuCloudVariable', queryType: 'fineTuningCheckpoints', jobIds: ['ftjob-1'] });
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

it('shows nothing as wrong before it is touched', async () => {
  renderEditor({ refId: 'A', queryType: 'platform', path: '' });

  const path = await screen.findByLabelText('Path');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.queryByText(/^Enter a/)).not.toBeInTheDocument();

  await userEvent.click(path);
  await userEvent.tab();
  expect(screen.getByText('Enter a path below /v1/, such as /v1/capacities.')).toBeInTheDocument();
  expect(screen.queryByText(/^Enter a member/)).not.toBeInTheDocument();
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
  [{ refId: 'A', queryType: 'capacityProducts' }, 'Main API'],
])('says once that the service of %j is not configured', async (query, service) => {
  const { requests } = renderEditor(query, { settings: {} as typeof SETTINGS });

  expect(await screen.findByRole('alert', { name: `${service} is not configured` })).toBeInTheDocument();
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  expect(requests).toEqual([]);
});
