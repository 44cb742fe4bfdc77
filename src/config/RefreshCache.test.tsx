import React from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { setBackendSrv, type BackendSrv } from '@grafana/runtime';
import { RefreshCache } from './RefreshCache';
import type { SectionProps } from './section';

const post = jest.fn();

function renderSettings(uid: string) {
  const options = { uid, jsonData: {} } as SectionProps['options'];
  render(<RefreshCache options={options} />);
}

const button = () => screen.getByRole('button', { name: 'Refresh the cache' });

beforeEach(() => {
  post.mockReset();
  setBackendSrv({ post } as unknown as BackendSrv);
});

it('drops what is kept, and says so', async () => {
  post.mockResolvedValue({ message: 'The cache is empty.' });
  renderSettings('a b');

  await userEvent.click(button());

  expect(post).toHaveBeenCalledTimes(1);
  expect(post.mock.calls[0][0]).toBe('/api/datasources/uid/a%20b/resources/cache/refresh');
  expect(await screen.findByText('The cache is empty.')).toBeInTheDocument();
  expect(button()).toBeEnabled();
});

it('says why it was refused', async () => {
  post.mockRejectedValue({
    status: 403,
    data: { message: 'Refreshing the cache takes the Editor role in Grafana.' },
  });
  renderSettings('a');

  await userEvent.click(button());

  expect(await screen.findByText('Refreshing the cache takes the Editor role in Grafana.')).toBeInTheDocument();
});

it('says that it failed where nothing says why', async () => {
  post.mockRejectedValue(new Error('no network'));
  renderSettings('a');

  await userEvent.click(button());

  expect(await screen.findByText(/could not be refreshed/)).toBeInTheDocument();
});

it('is not offered for a data source that is not saved yet', () => {
  renderSettings('');
  expect(screen.queryByRole('button', { name: 'Refresh the cache' })).not.toBeInTheDocument();
});
