import React, { useState } from 'react';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createDataSource, failing, fakeGrafana, promql } from '../../testing/grafana';
import { CatalogChoice } from './CatalogChoice';

async function openCatalog(names: string[], query = promql({ expr: '' })) {
  const { requests } = fakeGrafana(() => ({ status: 'success', data: names }));
  const onInsert = jest.fn();
  render(<CatalogChoice metrics={createDataSource().metrics} query={query} onInsert={onInsert} />);
  expect(requests).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Catalog' }));
  await userEvent.click(await screen.findByLabelText('Search the catalog'));
  return { onInsert, requests };
}

it('requests the metrics once, when it is opened, and inserts a query', async () => {
  const { onInsert, requests } = await openCatalog(['DCGM_FI_DEV_GPU_UTIL']);

  await userEvent.paste('utilization by node');
  await userEvent.click(screen.getByText('Utilization by node'));

  expect(requests.map(({ url }) => url)).toEqual([expect.stringMatching(/\/label\/__name__\/values$/)]);
  expect(onInsert).toHaveBeenCalledWith(
    expect.objectContaining({
      expr: 'avg by (instance) (avg by (cluster_id, instance, gpu) (avg_over_time(DCGM_FI_DEV_GPU_UTIL[10m])))',
    })
  );
  expect(screen.queryByText('Queries to start with')).not.toBeInTheDocument();
});

it.each([
  ['a query in the builder', { expr: 'up', editorMode: 'builder' }, 'builder'],
  ['a new query, which opens in the builder', { expr: '' }, 'builder'],
  ['a query in the code editor', { expr: 'up', editorMode: 'code' }, 'code'],
  ['a query that does not say, which opens as code', { expr: 'up' }, 'code'],
])('a query in the place of %s stays there, with its own legend and the step that was set', async (_, was, editor) => {
  const query = promql({ ...(was as object), legendFormat: '{{job}}', interval: '2m' });
  const { onInsert } = await openCatalog(['DCGM_FI_DEV_GPU_UTIL'], query);

  await userEvent.paste('utilization by node');
  await userEvent.click(await screen.findByRole('button', { name: 'Utilization by node' }));

  const expr = 'avg by (instance) (avg by (cluster_id, instance, gpu) (avg_over_time(DCGM_FI_DEV_GPU_UTIL[10m])))';
  expect(onInsert).toHaveBeenCalledWith({ ...query, expr, legendFormat: '{{instance}}', editorMode: editor });
});

it('gives the query back that a choice has replaced', async () => {
  fakeGrafana(() => ({ status: 'success', data: ['DCGM_FI_DEV_GPU_UTIL'] }));
  const before = promql({ expr: 'sum(my_own)', legendFormat: 'x' });
  function Editor() {
    const [query, setQuery] = useState(before);
    return (
      <>
        <CatalogChoice metrics={createDataSource().metrics} query={query} onInsert={setQuery} />
        <output>{JSON.stringify(query)}</output>
      </>
    );
  }
  render(<Editor />);
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Catalog' }));
  await userEvent.click(await screen.findByLabelText('Search the catalog'));
  await userEvent.paste('utilization by node');
  await userEvent.click(await screen.findByRole('button', { name: 'Utilization by node' }));
  expect(screen.getByRole('status')).not.toHaveTextContent('my_own');

  await userEvent.click(screen.getByRole('button', { name: 'Undo' }));

  expect(JSON.parse(screen.getByRole('status').textContent!)).toEqual(before);
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
});

it('says what is not here, and what it takes', async () => {
  await openCatalog(['DCGM_FI_DEV_GPU_UTIL']);

  await userEvent.paste('queue by partition');

  expect(screen.getByText('Not here: vendor_slurm_partition_jobs_pending')).toBeInTheDocument();
});

it('does not say that anything is missing while the platform is down, and says why', async () => {
  fakeGrafana(failing('The metrics endpoint failed (503).'));
  render(<CatalogChoice metrics={createDataSource().metrics} query={promql({ expr: '' })} onInsert={() => {}} />);
  await userEvent.click(screen.getByRole('button', { name: 'Catalog' }));

  expect(await screen.findByText(/The metrics endpoint failed \(503\)\./)).toBeInTheDocument();
  expect(screen.queryByText(/^Not here/)).not.toBeInTheDocument();
});

it('shows its queries while it is not known yet what is here', async () => {
  const { requests } = fakeGrafana();
  // The platform never responds.
  const { metrics } = createDataSource();
  jest.spyOn(metrics, 'metadataRequest').mockReturnValue(new Promise(() => {}));
  render(<CatalogChoice metrics={metrics} query={promql({ expr: '' })} onInsert={() => {}} />);
  await userEvent.click(screen.getByRole('button', { name: 'Catalog' }));

  expect(await screen.findByText('Utilization by node')).toBeInTheDocument();
  expect(screen.getByText('Looking up which metrics this platform has')).toBeInTheDocument();
  expect(screen.queryByText(/^Not here/)).not.toBeInTheDocument();
  expect(requests).toEqual([]);
});

it('has the focus in its search at every opening, and gives it back to its button', async () => {
  fakeGrafana(() => ({ status: 'success', data: [] }));
  render(<CatalogChoice metrics={createDataSource().metrics} query={promql({ expr: '' })} onInsert={() => {}} />);
  const opener = screen.getByRole('button', { name: 'Catalog' });

  for (const _opening of [1, 2]) {
    await userEvent.click(opener);
    await waitFor(() => expect(screen.getByLabelText('Search the catalog')).toHaveFocus());
    await userEvent.click(screen.getByLabelText('Close'));
    await waitFor(() => expect(opener).toHaveFocus());
    expect(screen.queryByLabelText('Search the catalog')).not.toBeInTheDocument();
  }
});

it('says that nothing matches, and that nothing is known of the platform', async () => {
  await openCatalog([]);

  await userEvent.paste('coffee');

  expect(screen.getByText('Nothing in the catalog matches “coffee”')).toBeInTheDocument();
  expect(screen.getByText('This platform names no metrics in this time range')).toBeInTheDocument();
});
