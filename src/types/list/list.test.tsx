import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { CONFIGURED, fakeGrafana } from '../../testing/grafana';
import { renderQueryEditor } from '../../testing/queryEditor';
import { choose, write } from '../../testing/user';

const fields = [
  { name: 'type', type: 'string' },
  { name: 'location', type: 'string' },
];
const values = [
  ['h100.8x', 'a100.1x', 'a100.1x'],
  ['eu-north1-a', 'us-east1-a', 'us-west1-a'],
];

/** The backend, which has three capacities. */
const capacities = ({ url }: BackendSrvRequest) =>
  url.includes('/api/ds/query')
    ? { results: { capacities: { frames: [{ schema: { fields }, data: { values } }] } } }
    : {};

const renderEditor = (initial: object, app = CoreApp.PanelEditor) =>
  renderQueryEditor(initial, { app, settings: { ...CONFIGURED, projectId: 'p-1' } });

const unfold = async () => userEvent.click(await screen.findByText('Options'));

const list = { queryType: 'platform', path: '/v1/capacities' };

describe('Main API', () => {
  it('offers the products and locations that there are, each once, and numbers', async () => {
    const { requests } = fakeGrafana(capacities);
    const { saved } = renderEditor({ queryType: 'capacities' });

    await choose('Products', /a100\.1x/);
    await choose('Locations', /eu-north1-a/);
    await userEvent.click(screen.getByRole('radio', { name: 'Number' }));

    expect(saved()).toEqual({
      refId: 'A',
      queryType: 'capacities',
      productNames: ['a100.1x'],
      locations: ['eu-north1-a'],
      format: 'number',
    });
    expect(requests).toHaveLength(1);
  });

  it('offers dashboard variables for products', async () => {
    fakeGrafana(capacities, { gpu: 'a100.1x' });
    const { saved } = renderEditor({ queryType: 'capacities' });
    await choose('Products', /\$gpu/);
    expect(saved().productNames).toEqual(['$gpu']);
  });
});

describe('an API list', () => {
  it('takes path, root, columns and parameters from a ready-made list', async () => {
    fakeGrafana();
    const { saved } = renderEditor({ ...list, timeColumn: 'x' });

    await choose('Ready-made list', /Audit logs/);

    expect(saved()).toMatchObject({
      path: '/v1/organizations/{organizationId}/audit-logs',
      params: [
        { name: 'start_time', value: '$__timeFrom()' },
        { name: 'end_time', value: '$__timeTo()' },
      ],
      root: 'items',
    });
    expect(saved()).not.toHaveProperty('timeColumn');
  });

  it('says while a path is typed what is wrong with it, and runs once it is finished and right', async () => {
    fakeGrafana();
    const { saved, onRunQuery } = renderEditor(list);
    const path = screen.getByLabelText('Path');

    await userEvent.clear(path);
    await userEvent.type(path, '/v2/capacities');
    expect(screen.getByText(/^Enter a path below \/v1\//)).toBeInTheDocument();
    expect(onRunQuery).not.toHaveBeenCalled();

    await userEvent.clear(path);
    await userEvent.type(path, '/v1/projects/{{projectId}/quotas{Enter}');
    expect(saved().path).toBe('/v1/projects/{projectId}/quotas');
    expect(onRunQuery).toHaveBeenCalledTimes(1);
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('has parameters that are added, changed and removed', async () => {
    fakeGrafana();
    const { saved } = renderEditor(list);
    await unfold();

    await userEvent.click(screen.getByRole('button', { name: 'Add parameter' }));
    const row = within(screen.getByRole('group', { name: 'parameter 1' }));
    await userEvent.type(row.getByRole('textbox', { name: 'Name' }), 'location');
    expect(saved()).toEqual({ refId: 'A', ...list });
    await userEvent.tab();
    await userEvent.type(row.getByRole('textbox', { name: 'Value' }), '$where{Enter}');
    expect(saved().params).toEqual([{ name: 'location', value: '$where' }]);

    await userEvent.click(screen.getByRole('button', { name: 'Remove parameter 1' }));
    expect(saved()).toEqual({ refId: 'A', ...list });
  });

  it('says of a parameter without a name that it is not saved', async () => {
    fakeGrafana();
    const { saved } = renderEditor(list);
    await unfold();
    await userEvent.click(screen.getByRole('button', { name: 'Add parameter' }));
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();

    await write(screen.getByRole('textbox', { name: 'Value' }), 'us');
    expect(screen.getByRole('alert')).toHaveTextContent('Not saved without “Name”.');
    await write(screen.getByRole('textbox', { name: 'Name' }), 'location');
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    expect(saved().params).toEqual([{ name: 'location', value: 'us' }]);
  });

  it('has columns with a title, a type and a unit, and takes one for the time', async () => {
    fakeGrafana();
    const { saved } = renderEditor({ ...list, columns: [{ selector: 'created_at' }] });
    await unfold();

    await userEvent.type(screen.getByRole('textbox', { name: 'Title' }), 'Created{Enter}');
    await choose('Type', /^Time/);
    await choose(/^Time column/, 'Created');
    await write(screen.getByRole('textbox', { name: 'Unit' }), 'suffix: GPUs');

    expect(saved()).toMatchObject({
      columns: [{ selector: 'created_at', name: 'Created', type: 'time', unit: 'suffix: GPUs' }],
      timeColumn: 'Created',
    });
  });

  it('folds what most queries leave as it is, and sums it up', async () => {
    fakeGrafana();
    const { saved } = renderEditor({
      ...list,
      params: [{ name: 'location', value: 'us' }],
      columns: [{ selector: 'created_at', name: 'Created' }, { selector: 'id' }],
    });
    expect(screen.getByText('Root: items')).toBeInTheDocument();
    expect(screen.getByText('Max pages: 10')).toBeInTheDocument();
    expect(screen.getByText('Parameters: location')).toBeInTheDocument();
    expect(screen.getByText('Columns: Created, id')).toBeInTheDocument();
    expect(screen.queryByLabelText('Max pages')).not.toBeInTheDocument();

    await unfold();
    await userEvent.type(screen.getByLabelText('Max pages'), '20{Enter}');
    expect(saved()).toMatchObject({ maxPages: 20 });

    await userEvent.type(screen.getByLabelText('Max pages'), '0');
    expect(screen.getByText('Enter a whole number from 1 to 100.')).toBeInTheDocument();
  });

  it('offers the members of a ready-made list as columns, or any', async () => {
    fakeGrafana();
    const { saved } = renderEditor({ queryType: 'platform', path: '/v1/projects/p-1/quotas' });
    await unfold();
    await userEvent.click(screen.getByRole('button', { name: 'Add column' }));
    await choose('Member', /^used/);
    expect(saved().columns).toEqual([{ selector: 'used', type: 'number' }]);

    await userEvent.click(screen.getByRole('button', { name: 'Add column' }));
    const second = within(screen.getByRole('group', { name: 'column 2' }));
    await userEvent.type(second.getByRole('combobox', { name: 'Member' }), 'meta.size');
    await userEvent.click(await screen.findByRole('option', { name: /use as a member/i }));
    expect(saved().columns).toEqual([{ selector: 'used', type: 'number' }, { selector: 'meta.size' }]);
  });

  it('keeps the items whose member has one of the values', async () => {
    fakeGrafana(undefined, { state: 'drained' });
    const { saved } = renderEditor(list);
    expect(screen.queryByRole('combobox', { name: 'is' })).not.toBeInTheDocument();

    await userEvent.type(screen.getByLabelText('Filter'), 'state{Enter}');
    await choose('is', /\$state/);

    expect(saved()).toEqual({ refId: 'A', ...list, filterMember: 'state', filterValues: ['$state'] });
  });
});

describe('an API list in an alert rule', () => {
  it('takes only what it can evaluate from a ready-made list', async () => {
    fakeGrafana();
    const { saved } = renderEditor(list, CoreApp.UnifiedAlerting);
    await choose('Ready-made list', /Node pools/);
    expect(saved().columns.map(({ selector }: { selector: string }) => selector)).toEqual([
      'id',
      'name',
      'ready_count',
    ]);
    expect(screen.getByText(/An alert rule evaluates one column of numbers/)).toBeInTheDocument();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('offers no ready-made list that has nothing to evaluate', async () => {
    fakeGrafana();
    renderEditor(list, CoreApp.UnifiedAlerting);
    await userEvent.click(screen.getByRole('combobox', { name: 'Ready-made list' }));
    expect(screen.getByRole('option', { name: /^Quotas/ })).toBeInTheDocument();
    expect(screen.queryByRole('option', { name: /Audit logs/ })).not.toBeInTheDocument();
  });
});
