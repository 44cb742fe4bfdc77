import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { CONFIGURED, fakeGrafana } from '../../testing/grafana';
import { renderQueryEditor } from '../../testing/queryEditor';
import type { GpuCloudOptions } from '../../types';

const fields = [
  { name: 'type', type: 'string' },
  { name: 'location', type: 'string' },
];
const values = [
  ['h100', 'h100', 'a100'],
  ['us-east1-a', null, 'eu-north1-a'],
];

/** The backend, which has three places, one of them without a location. */
const places = ({ url }: BackendSrvRequest) =>
  url.includes('/api/ds/query')
    ? { results: { placement: { frames: [{ schema: { fields }, data: { values } }] } } }
    : {};

function show(initial: object, app = CoreApp.PanelEditor, settings: GpuCloudOptions = CONFIGURED) {
  const { query, onRunQuery } = renderQueryEditor(initial, { app, settings });
  return { query: () => JSON.parse(JSON.stringify(query())), onRunQuery };
}

const choose = async (field: string, option: RegExp) => {
  await userEvent.click(await screen.findByRole('combobox', { name: field }));
  await userEvent.click(await screen.findByRole('option', { name: option }));
};

const saved = { queryType: 'placement', gpus: 64 };

it('starts with a machine’s worth of GPUs, already queried', async () => {
  fakeGrafana(places);
  const { query, onRunQuery } = show({ queryType: 'capacities', productNames: ['h100.8x'] });
  await userEvent.click(screen.getByRole('radio', { name: 'Placement' }));
  expect(query()).toEqual({ refId: 'A', queryType: 'placement', gpus: '8' });
  expect(onRunQuery).toHaveBeenCalledTimes(1);
});

it('offers the types and locations that there are, each once, and formats', async () => {
  const { requests } = fakeGrafana(places);
  const { query } = show(saved);
  await choose('GPU types', /^h100/);
  await choose('Locations', /eu-north1-a/);
  await userEvent.click(screen.getByRole('radio', { name: 'Answer' }));
  expect(query()).toEqual({
    refId: 'A',
    queryType: 'placement',
    gpus: '64',
    types: ['h100'],
    locations: ['eu-north1-a'],
    format: 'answer',
  });
  expect(requests).toHaveLength(1);
});

it('takes a variable for the number of GPUs, and refuses what is no number', async () => {
  fakeGrafana(places);
  const { query, onRunQuery } = show(saved);
  const gpus = await screen.findByLabelText('GPUs wanted');
  expect(gpus).toHaveValue('64');
  await userEvent.clear(gpus);
  await userEvent.type(gpus, 'many');
  expect(await screen.findByText('Enter a whole number from 1 to 100,000.')).toBeInTheDocument();
  await userEvent.clear(gpus);
  await userEvent.tab();
  expect(query().gpus).toBeUndefined();
  await userEvent.type(gpus, '$gpus{enter}');
  expect(query().gpus).toBe('$gpus');
  expect(screen.queryByText('Enter a whole number from 1 to 100,000.')).not.toBeInTheDocument();
  expect(onRunQuery).toHaveBeenCalledTimes(2);
});

it('offers numbers only in alert rules, which need no number of GPUs', async () => {
  fakeGrafana(places);
  const { query } = show({ queryType: 'capacities', format: 'number' }, CoreApp.UnifiedAlerting);
  await userEvent.click(screen.getByRole('radio', { name: 'Placement' }));
  expect(query()).toMatchObject({ queryType: 'placement', format: 'number' });
  expect(await screen.findByRole('combobox', { name: 'GPU types' })).toBeInTheDocument();
  expect(screen.queryByRole('radiogroup', { name: 'Format' })).not.toBeInTheDocument();
  expect(screen.queryByLabelText('GPUs wanted')).not.toBeInTheDocument();
});

it('can be edited without an access key, and is what there is then', async () => {
  fakeGrafana(places);
  const settings = { ...CONFIGURED, projectId: 'p-1', accessKeyId: '' };
  const { query } = show({ expr: 'up' }, CoreApp.PanelEditor, settings);
  await userEvent.click(screen.getByRole('radio', { name: 'Main API' }));
  expect(query()).toMatchObject({ queryType: 'placement' });
  expect(await screen.findByLabelText('GPUs wanted')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('radio', { name: 'Capacities' }));
  expect(screen.getByRole('alert', { name: 'Main API is not configured' })).toBeInTheDocument();
});
