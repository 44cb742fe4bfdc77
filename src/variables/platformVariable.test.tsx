import React, { useState } from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { lastValueFrom } from 'rxjs';
import type { DataQueryRequest } from '@grafana/data';
import { CONFIGURED, createDataSource, failing, fakeGrafana, range } from '../testing/grafana';
import type { GpuCloudVariableQuery } from './query';
import type { VariableSupport } from './VariableSupport';

const respondWith = (columns: Record<string, Array<string | null>>) => () => {
  const fields = Object.keys(columns).map((name) => ({ name, type: 'string' }));
  return { results: { A: { frames: [{ schema: { fields }, data: { values: Object.values(columns) } }] } } };
};

async function valuesOf(query: object) {
  const request = { targets: [{ refId: 'A', ...query }], range, scopedVars: {} };
  const { variables } = createDataSource();
  const response = (variables as VariableSupport).query(request as unknown as DataQueryRequest<GpuCloudVariableQuery>);
  return (await lastValueFrom(response)).data;
}

const named = (...names: string[]) => names.map((name) => ({ text: name, value: name }));

describe('a variable of the main API', () => {
  it('has products, each once and in order', async () => {
    fakeGrafana(respondWith({ type: ['h100.1x', 'a100.1x', 'a100.1x'], location: ['x', 'x', 'y'] }));
    await expect(valuesOf({ queryType: 'capacityProducts' })).resolves.toEqual(named('a100.1x', 'h100.1x'));
  });

  it('has locations, of the products of another variable if it shall', async () => {
    const { requests } = fakeGrafana(respondWith({ type: ['a'], location: ['us-east1-a'] }), { gpu: ['a', 'b'] });
    const values = await valuesOf({ queryType: 'capacityLocations', productNames: ['$gpu'] });
    expect(values).toEqual(named('us-east1-a'));
    expect(requests[0].data.queries[0]).toMatchObject({ queryType: 'capacities', productNames: ['a', 'b'] });
  });

  it('has a member of any list, with another one as its text', async () => {
    const { requests } = fakeGrafana(respondWith({ value: ['1', '2', '2', null], text: ['one', null, 'two', 'none'] }));
    const query = { queryType: 'platform', path: '/v1/x', valueSelector: 'id', textSelector: 'name' };
    await expect(valuesOf(query)).resolves.toEqual([
      { value: '1', text: 'one' },
      { value: '2', text: '2' },
    ]);
    expect(requests[0].data.queries[0].columns).toEqual([
      { selector: 'id', name: 'value', type: 'string' },
      { selector: 'name', name: 'text', type: 'string' },
    ]);
  });

  it('fails with a sentence, never with an empty list', async () => {
    fakeGrafana(failing('The main API refused the access key.'));
    await expect(valuesOf({ queryType: 'capacityProducts' })).rejects.toThrow('The main API refused the access key.');
    await expect(valuesOf({ queryType: 'platform', path: '/v1/x' })).rejects.toThrow(/Choose a list/);
  });

  it('fails with what the backend says of a misspelt member, rather than being empty', async () => {
    const notices = [{ severity: 'warning', text: 'Column "value": no item has names. Items have: id, name.' }];
    const schema = { meta: { notices }, fields: [{ name: 'value', type: 'string' }] };
    fakeGrafana(() => ({ results: { A: { frames: [{ schema, data: { values: [[null, null]] } }] } } }));
    const query = { queryType: 'platform', path: '/v1/x', valueSelector: 'names' };
    await expect(valuesOf(query)).rejects.toThrow('no item has names');
  });

  it('shows nothing as wrong before it is touched', async () => {
    fakeGrafana();
    const dataSource = createDataSource({ ...CONFIGURED, projectId: 'p-1' });
    const { editor: Editor } = dataSource.variables as VariableSupport;
    const query: GpuCloudVariableQuery = { refId: 'A', queryType: 'platform', path: '' };
    render(<Editor datasource={dataSource} query={query} onChange={() => {}} onRunQuery={() => {}} />);

    const path = await screen.findByLabelText('Path');
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    expect(screen.queryByText(/^Enter a/)).not.toBeInTheDocument();

    await userEvent.click(path);
    await userEvent.tab();
    expect(screen.getByText('Enter a path below /v1/, such as /v1/capacities.')).toBeInTheDocument();
    expect(screen.queryByText(/^Enter a member/)).not.toBeInTheDocument();
  });

  it('is edited by choosing a list, whose first member becomes the value', async () => {
    fakeGrafana();
    const dataSource = createDataSource({ ...CONFIGURED, projectId: 'p-1' });
    const { editor: Editor } = dataSource.variables as VariableSupport;
    let saved = { refId: 'A', query: '' } as GpuCloudVariableQuery;
    function Page() {
      const [query, setQuery] = useState(saved);
      const onChange = (changed: GpuCloudVariableQuery) => {
        saved = changed;
        setQuery(changed);
      };
      return <Editor datasource={dataSource} query={query} onChange={onChange} onRunQuery={() => {}} />;
    }
    render(<Page />);

    await userEvent.click(await screen.findByRole('radio', { name: 'Main API' }));
    await userEvent.click(screen.getByRole('radio', { name: 'API list' }));
    await userEvent.click(screen.getByRole('combobox', { name: 'Ready-made list' }));
    await userEvent.click(await screen.findByRole('option', { name: /Disks/ }));

    expect(saved).toMatchObject({
      queryType: 'platform',
      path: '/v1/projects/{projectId}/storage/disks',
      valueSelector: 'id',
    });
    expect(saved).not.toHaveProperty('columns');
  });
});
