import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { CONFIGURED, fakeGrafana } from '../../testing/grafana';
import { renderQueryEditor } from '../../testing/queryEditor';

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

/** Shows the editor, and returns a look at the query as it is saved: without what is not defined. */
function renderEditor(initial: object, app = CoreApp.PanelEditor) {
  const settings = { ...CONFIGURED, projectId: 'p-1' };
  const { query, onRunQuery } = renderQueryEditor(initial, { app, settings });
  return { query: () => JSON.parse(JSON.stringify(query())), onRunQuery };
}

const choose = async (field: RegExp | string, option: RegExp | string) => {
  await userEvent.click(await screen.findByRole('combobox', { name: field }));
  await userEvent.click(await screen.findByRole('option', { name: option }));
};

const unfold = () => userEvent.click(screen.getByText('Options'));

const list = { queryType: 'platform', path: '/v1/capacities' };

describe('Main API', () => {
  it('starts with all capacities, already queried', async () => {
    fakeGrafana(capacities);
    const { query, onRunQuery } = renderEditor({ expr: 'up', range: true });

    await userEvent.click(screen.getByRole('radio', { name: 'Main API' }));

    expect(query()).toEqual({ refId: 'A', queryType: 'capacities' });
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });

  it('starts with numbers in an alert rule', async () => {
    fakeGrafana(capacities);
    const { query } = renderEditor({ expr: '' }, CoreApp.UnifiedAlerting);

    await userEvent.click(screen.getByRole('radio', { name: 'Main API' }));

    expect(query()).toEqual({ refId: 'A', queryType: 'capacities', format: 'number' });
    expect(screen.queryByRole('radiogroup', { name: 'Format' })).not.toBeInTheDocument();
  });

  it('offers the products and locations that there are, each once, and numbers', async () => {
    const { requests } = fakeGrafana(capacities);
    const { query } = renderEditor({ queryType: 'capacities' });

    await choose('Products', /a100\.1x/);
    await choose('Locations', /eu-north1-a/);
    await userEvent.click(screen.getByRole('radio', { name: 'Number' }));

    expect(query()).toEqual({
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
    const { query } = renderEditor({ queryType: 'capacities' });
    await choose('Products', /\$gpu/);
    expect(query().productNames).toEqual(['$gpu']);
  });
});

describe('an API list', () => {
  it('starts with the quotas of the project', async () => {
    fakeGrafana(capacities);
    const { query } = renderEditor({ queryType: 'capacities' });

    await userEvent.click(screen.getByRole('radio', { name: 'API list' }));

    expect(query()).toMatchObject({ path: '/v1/projects/{projectId}/quotas' });
    expect(query().columns[0]).toEqual({ selector: 'name', type: 'string' });
  });

  it('takes path, root, columns and parameters from a ready-made list', async () => {
    fakeGrafana();
    const { query } = renderEditor({ ...list, timeColumn: 'x' });

    await choose('Ready-made list', /Audit logs/);

    expect(query()).toMatchObject({
      path: '/v1/organizations/{organizationId}/audit-logs',
      params: [
        { name: 'start_time', value: '$__timeFrom()' },
        { name: 'end_time', value: '$__timeTo()' },
      ],
      root: 'items',
    });
    expect(query()).not.toHaveProperty('timeColumn');
  });

  it('says while a path is typed what is wrong with it, and runs once it is finished and right', async () => {
    fakeGrafana();
    const { query, onRunQuery } = renderEditor(list);
    const path = screen.getByLabelText('Path');

    await userEvent.clear(path);
    await userEvent.type(path, '/v2/capacities');
    expect(screen.getByText(/^Enter a path below \/v1\//)).toBeInTheDocument();
    expect(onRunQuery).not.toHaveBeenCalled();

    await userEvent.clear(path);
    await userEvent.type(path, '/v1/projects/{{projectId}/quotas{Enter}');
    expect(query().path).toBe('/v1/projects/{projectId}/quotas');
    expect(onRunQuery).toHaveBeenCalledTimes(1);
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('has parameters that are added, changed and removed', async () => {
    fakeGrafana();
    const { query } = renderEditor(list);
    await unfold();

    await userEvent.click(screen.getByRole('button', { name: 'Add parameter' }));
    const row = within(screen.getByRole('group', { name: 'parameter 1' }));
    await userEvent.type(row.getByRole('textbox', { name: 'Name' }), 'location');
    expect(query()).toEqual({ refId: 'A', ...list });
    await userEvent.tab();
    await userEvent.type(row.getByRole('textbox', { name: 'Value' }), '$where{Enter}');
    expect(query().params).toEqual([{ name: 'location', value: '$where' }]);

    await userEvent.click(screen.getByRole('button', { name: 'Remove parameter 1' }));
    expect(query()).toEqual({ refId: 'A', ...list });
  });

  it('has columns with a title, a type and a unit, and takes one for the time', async () => {
    fakeGrafana();
    const { query } = renderEditor({ ...list, columns: [{ selector: 'created_at' }] });
    await unfold();

    await userEvent.type(screen.getByRole('textbox', { name: 'Title' }), 'Created{Enter}');
    await choose('Type', /^Time/);
    await choose(/^Time column/, 'Created');
    await userEvent.click(screen.getByRole('combobox', { name: 'Unit' }));
    await userEvent.paste('suffix: GPUs');
    await userEvent.click(await screen.findByRole('option', { name: /use as a unit/i }));

    expect(query()).toMatchObject({
      columns: [{ selector: 'created_at', name: 'Created', type: 'time', unit: 'suffix: GPUs' }],
      timeColumn: 'Created',
    });
  });

  it('folds what most queries leave as it is, and sums it up', async () => {
    fakeGrafana();
    const { query } = renderEditor({
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
    expect(query()).toMatchObject({ maxPages: 20 });

    await userEvent.type(screen.getByLabelText('Max pages'), '0');
    expect(screen.getByText('Enter a number from 1 to 100.')).toBeInTheDocument();
  });

  it('offers the members of a ready-made list as columns, or any', async () => {
    fakeGrafana();
    const { query } = renderEditor({ queryType: 'platform', path: '/v1/projects/p-1/quotas' });
    await unfold();
    await userEvent.click(screen.getByRole('button', { name: 'Add column' }));
    await choose('Member', /^used/);
    expect(query().columns).toEqual([{ selector: 'used', type: 'number' }]);

    await userEvent.click(screen.getByRole('button', { name: 'Add column' }));
    const second = within(screen.getByRole('group', { name: 'column 2' }));
    await userEvent.type(second.getByRole('combobox', { name: 'Member' }), 'meta.size');
    await userEvent.click(await screen.findByRole('option', { name: /use as a member/i }));
    expect(query().columns).toEqual([{ selector: 'used', type: 'number' }, { selector: 'meta.size' }]);
  });

  it('keeps the items whose member has one of the values', async () => {
    fakeGrafana(undefined, { state: 'drained' });
    const { query } = renderEditor(list);
    expect(screen.queryByRole('combobox', { name: 'is' })).not.toBeInTheDocument();

    await userEvent.type(screen.getByLabelText('Filter'), 'state{Enter}');
    await choose('is', /\$state/);

    expect(query()).toEqual({ refId: 'A', ...list, filterMember: 'state', filterValues: ['$state'] });
  });
});

describe('an API list in an alert rule', () => {
  it('starts with one number and the text that names it', async () => {
    fakeGrafana(capacities);
    const { query } = renderEditor({ queryType: 'capacities' }, CoreApp.UnifiedAlerting);

    await userEvent.click(screen.getByRole('radio', { name: 'API list' }));

    expect(query()).toMatchObject({
      path: '/v1/projects/{projectId}/quotas',
      columns: [
        { selector: 'name', type: 'string' },
        { selector: 'location', type: 'string' },
        { selector: 'used', type: 'number' },
      ],
    });
    expect(screen.getByText(/An alert rule evaluates one column of numbers/)).toBeInTheDocument();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('takes only what it can evaluate from a ready-made list', async () => {
    fakeGrafana();
    const { query } = renderEditor(list, CoreApp.UnifiedAlerting);
    await choose('Ready-made list', /Node pools/);
    expect(query().columns.map(({ selector }: { selector: string }) => selector)).toEqual([
      'id',
      'name',
      'ready_count',
    ]);
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
