import React, { useState } from 'react';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { createDataSource, fakeGrafana } from '../../testing/grafana';
import type { GpuCloudQuery } from '../../types';
import { QueryEditor } from '../QueryEditor';

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

/** Shows the editor as Grafana does, which keeps the query, and returns a look at it. */
function renderEditor(initial: object, app = CoreApp.PanelEditor) {
  const dataSource = createDataSource({ projectId: 'p-1' });
  const onRunQuery = jest.fn();
  let current = { refId: 'A', ...initial } as GpuCloudQuery;
  function Page() {
    const [query, setQuery] = useState(current);
    const onChange = (changed: GpuCloudQuery) => {
      current = changed;
      setQuery(changed);
    };
    return <QueryEditor app={app} datasource={dataSource} query={query} onChange={onChange} onRunQuery={onRunQuery} />;
  }
  render(<Page />);
  // As it is saved: without what is not defined.
  return { query: () => JSON.parse(JSON.stringify(current)), onRunQuery };
}

const choose = async (field: RegExp | string, option: RegExp | string) => {
  await userEvent.click(await screen.findByRole('combobox', { name: field }));
  await userEvent.click(await screen.findByRole('option', { name: option }));
};

const list = { queryType: 'platform', path: '/v1/capacities' };

describe('Capacity & API', () => {
  it('starts with all capacities, already asked for', async () => {
    fakeGrafana(capacities);
    const { query, onRunQuery } = renderEditor({ expr: 'up', range: true });

    await userEvent.click(screen.getByRole('radio', { name: 'Capacity & API' }));

    expect(query()).toEqual({ refId: 'A', queryType: 'capacities' });
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });

  it('starts with numbers in an alert rule', async () => {
    fakeGrafana(capacities);
    const { query } = renderEditor({ expr: '' }, CoreApp.UnifiedAlerting);

    await userEvent.click(screen.getByRole('radio', { name: 'Capacity & API' }));

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

    expect(query()).toMatchObject({ path: '/v1/projects/{projectId}/quotas', root: '$.items' });
    expect(query().columns[0]).toEqual({ selector: 'name', type: 'string' });
  });

  it('takes path, root, columns and parameters from a ready-made list, and says what is left to do', async () => {
    fakeGrafana();
    const { query, onRunQuery } = renderEditor({ ...list, timeColumn: 'x' });

    await choose('Ready-made list', /Audit logs/);

    expect(query()).toMatchObject({
      path: '/v1/organizations/{organizationId}/audit-logs',
      params: [
        { name: 'start_time', value: '$__timeFrom()' },
        { name: 'end_time', value: '$__timeTo()' },
      ],
      root: '$.items',
    });
    expect(query()).not.toHaveProperty('timeColumn');
    expect(screen.getByText(/^Replace \{organizationId\} by the id itself, or set/)).toBeInTheDocument();
    expect(onRunQuery).not.toHaveBeenCalled();
  });

  it('says while a path is typed what is wrong with it, and runs once it is finished and right', async () => {
    fakeGrafana();
    const { query, onRunQuery } = renderEditor(list);
    const path = screen.getByLabelText('Path');

    await userEvent.type(path, '?a');
    expect(screen.getByText(/^Leave out everything from the question mark on/)).toBeInTheDocument();
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

  it('has a root and a number of pages', async () => {
    fakeGrafana();
    const { query } = renderEditor(list);

    await userEvent.type(screen.getByLabelText('Root'), '$.data{Enter}');
    await userEvent.type(screen.getByLabelText('Max pages'), '20{Enter}');
    expect(query()).toMatchObject({ root: '$.data', maxPages: 20 });

    await userEvent.type(screen.getByLabelText('Max pages'), '0');
    expect(screen.getByText('Enter a number from 1 to 100.')).toBeInTheDocument();
  });
});
