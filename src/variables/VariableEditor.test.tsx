import React from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { lastValueFrom } from 'rxjs';
import type { DataQueryRequest } from '@grafana/data';
import { createDataSource, fakeGrafana, range, UID } from '../testing/grafana';
import type { GpuCloudVariableQuery } from '../types';
import { VariableSupport } from './VariableSupport';

const RESOURCES = `/api/datasources/uid/${UID}/resources/`;

function variableSupport(): VariableSupport {
  const { variables } = createDataSource();
  if (!(variables instanceof VariableSupport)) {
    throw new Error('The data source has no variable support');
  }
  return variables;
}

describe('the variable editor', () => {
  it('offers all of Prometheus’ query types', async () => {
    fakeGrafana(() => ({ status: 'success', data: [] }));
    const dataSource = createDataSource();
    const { editor: Editor } = variableSupport();
    render(<Editor datasource={dataSource} query={{ refId: 'A' }} onChange={() => {}} onRunQuery={() => {}} />);

    await userEvent.click(await screen.findByRole('combobox', { name: 'Query type' }));

    const offered = (await screen.findAllByRole('option')).map((option) => option.textContent);
    expect(offered).toEqual([
      'Label names',
      'Label values',
      'Metrics',
      'Query result',
      'Series query',
      'Classic query',
    ]);
  });

  it('saves a query in the shape of Prometheus’ variables', async () => {
    fakeGrafana(() => ({ status: 'success', data: [] }));
    const dataSource = createDataSource();
    const onChange = jest.fn();
    const { editor: Editor } = variableSupport();
    render(<Editor datasource={dataSource} query={{ refId: 'A' }} onChange={onChange} onRunQuery={() => {}} />);

    await userEvent.click(await screen.findByRole('combobox', { name: 'Query type' }));
    await userEvent.click(await screen.findByRole('option', { name: 'Label names' }));

    expect(onChange).toHaveBeenLastCalledWith(expect.objectContaining({ query: 'label_names()', qryType: 0 }));
  });
});

describe('a variable', () => {
  const vector = { resultType: 'vector', result: [{ metric: { __name__: 'up', gpu: '0' }, value: [1, '5'] }] };

  it.each([
    ['label_names()', 'api/v1/labels', ['gpu'], ['gpu']],
    ['label_values(instance)', 'api/v1/label/instance/values', ['node-1'], ['node-1']],
    ['label_values(up{gpu="0"}, instance)', 'api/v1/label/instance/values', ['node-1'], ['node-1']],
    ['metrics(DCGM_.*)', 'api/v1/label/__name__/values', ['DCGM_FI_DEV_GPU_UTIL'], ['DCGM_FI_DEV_GPU_UTIL']],
    ['query_result(up)', 'api/v1/query', vector, ['up{gpu="0"} 5 1000']],
    ['up{gpu="0"}', 'api/v1/series', [{ __name__: 'up', gpu: '0' }], ['up{gpu="0"}']],
  ])('%s asks %s', async (query, path, data, values) => {
    const { requests } = fakeGrafana(() => ({ status: 'success', data }));
    const request = { targets: [{ refId: 'A', query }], range } as DataQueryRequest<GpuCloudVariableQuery>;

    const response = await lastValueFrom(variableSupport().query(request));

    expect(requests.map(({ method, url }) => [method, url])).toEqual([['GET', RESOURCES + path]]);
    expect(response.data.map(({ text }) => text)).toEqual(values);
  });
});
