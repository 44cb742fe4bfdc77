import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { BackendSrvRequest } from '@grafana/runtime';
import { fakeGrafana } from '../../testing/grafana';
import { renderQueryEditor } from '../../testing/queryEditor';
import { choose } from '../../testing/user';

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

const placement = { queryType: 'placement', gpus: 64 };

it('offers the types and locations that there are, each once, and formats', async () => {
  const { requests } = fakeGrafana(places);
  const { saved } = renderQueryEditor(placement);
  await choose('GPU types', /^h100/);
  await choose('Locations', /eu-north1-a/);
  await userEvent.click(screen.getByRole('radio', { name: 'Answer' }));
  expect(saved()).toEqual({
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
  const { saved, onRunQuery } = renderQueryEditor(placement);
  const gpus = await screen.findByLabelText('GPUs wanted');
  expect(gpus).toHaveValue('64');
  await userEvent.clear(gpus);
  await userEvent.type(gpus, 'many');
  expect(await screen.findByText('Enter a whole number from 1 to 100,000.')).toBeInTheDocument();
  await userEvent.clear(gpus);
  await userEvent.tab();
  expect(saved().gpus).toBeUndefined();
  await userEvent.type(gpus, '$gpus{enter}');
  expect(saved().gpus).toBe('$gpus');
  expect(screen.queryByText('Enter a whole number from 1 to 100,000.')).not.toBeInTheDocument();
  expect(onRunQuery).toHaveBeenCalledTimes(2);
});
