import React, { useState } from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { lastValueFrom, Observable } from 'rxjs';
import type { DataQueryRequest, MetricFindValue } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { createDataSource, failing, fakeGrafana, range, UID } from '../testing/grafana';
import { noRuns, twoRuns } from '../testing/runs';
import type { GpuCloudVariableQuery } from './query';
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

it('takes a query of the catalog for a variable, whose result are its values', async () => {
  fakeGrafana(() => ({ status: 'success', data: ['DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL'] }));
  const dataSource = createDataSource();
  const onChange = jest.fn();
  const { editor: Editor } = variableSupport();
  render(<Editor datasource={dataSource} query={{ refId: 'A' }} onChange={onChange} onRunQuery={() => {}} />);

  await userEvent.click(await screen.findByRole('button', { name: 'Catalog' }));
  await userEvent.click(await screen.findByLabelText('Search the catalog'));
  await userEvent.paste('nvlink bandwidth');
  await userEvent.click(await screen.findByText('NVLink bandwidth'));

  expect(onChange).toHaveBeenLastCalledWith({
    refId: 'A',
    qryType: 3,
    query: 'query_result(sum by (instance) (rate(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[$__range])))',
  });
});

describe('the editor of a variable, in a dashboard that merges the saved query', () => {
  function renderMerging(saved: object) {
    fakeGrafana(() => ({ status: 'success', data: ['DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL'] }));
    const dataSource = createDataSource();
    const { editor: Editor } = variableSupport();
    function Page() {
      const [query, setQuery] = useState({ refId: 'A', ...saved } as GpuCloudVariableQuery);
      return (
        <>
          <Editor
            datasource={dataSource}
            query={query}
            onChange={(changed: GpuCloudVariableQuery) => setQuery((before) => ({ ...before, ...changed }))}
            onRunQuery={() => {}}
          />
          <output>{JSON.stringify(query)}</output>
        </>
      );
    }
    render(<Page />);
    return () => JSON.parse(screen.getByRole('status').textContent!);
  }

  it('gives the query back that a choice of the catalog has replaced', async () => {
    const before = { qryType: 0, query: 'label_names()' };
    const saved = renderMerging(before);
    await userEvent.click(await screen.findByRole('button', { name: 'Catalog' }));
    await userEvent.click(await screen.findByLabelText('Search the catalog'));
    await userEvent.paste('nvlink bandwidth');
    await userEvent.click(await screen.findByText('NVLink bandwidth'));
    expect(saved()).toMatchObject({ qryType: 3 });

    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));

    expect(saved()).toMatchObject(before);
    expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
  });

  it('leaves nothing of what the values came from before', async () => {
    const saved = renderMerging({
      queryType: 'runLabels',
      label: 'model',
      source: { kind: 'series', expr: 'loss', by: ['pod'] },
    });

    await userEvent.click(await screen.findByRole('radio', { name: 'Metrics' }));

    expect(saved()).toEqual({ refId: 'A', query: '' });
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
  ])('%s requests %s', async (query, path, data, values) => {
    const { requests } = fakeGrafana(() => ({ status: 'success', data }));
    const request = { targets: [{ refId: 'A', query }], range } as DataQueryRequest<GpuCloudVariableQuery>;

    const response = await lastValueFrom(variableSupport().query(request));

    expect(requests.map(({ method, url }) => [method, url])).toEqual([['GET', RESOURCES + path]]);
    expect(response.data.map(({ text }) => text)).toEqual(values);
  });
});

describe('a variable about fine-tuning', () => {
  const jobs = [
    { id: 'ftjob-1', name: 'bot', model: 'llama', status: 'failed' },
    { id: 'ftjob-2', name: 'ftjob-2', model: 'qwen', status: 'running' },
  ];
  const checkpoints = {
    schema: { refId: 'A', fields: [{ name: 'checkpoint_id' }, { name: 'step' }] },
    data: {
      values: [
        ['ftckpt-1', null, 'ftckpt-3'],
        [10, 20, null],
      ],
    },
  };
  const gateway = ({ url }: BackendSrvRequest) => {
    const lists: Record<string, unknown> = {
      jobs,
      models: [{ id: 'meta/llama', name: 'Llama' }],
      statuses: [{ status: 'failed' }],
    };
    return lists[url.replace(RESOURCES, '')] ?? { results: { A: { status: 200, frames: [checkpoints] } } };
  };
  const values = async (query: object) => {
    const request = { targets: [{ refId: 'A', ...query }], range, scopedVars: {} };
    const { data } = await lastValueFrom(
      variableSupport().query(request as unknown as DataQueryRequest<GpuCloudVariableQuery>)
    );
    return data.map(({ text, value }: MetricFindValue) => [text, value]);
  };

  it.each([
    [
      'jobs by name',
      { queryType: 'fineTuningJobs' },
      [
        ['bot', 'ftjob-1'],
        ['ftjob-2', 'ftjob-2'],
      ],
    ],
    ['jobs of a status', { queryType: 'fineTuningJobs', statuses: ['$s'] }, [['bot', 'ftjob-1']]],
    ['no jobs for a variable without a value', { queryType: 'fineTuningJobs', models: ['$none'] }, []],
    [
      'all jobs of a status where “All” of the models is chosen',
      { queryType: 'fineTuningJobs', statuses: ['$s'], models: ['$all'] },
      [['bot', 'ftjob-1']],
    ],
    [
      'the jobs of each value of a list in one text',
      { queryType: 'fineTuningJobs', models: ['{Qwen, other}'] },
      [['ftjob-2', 'ftjob-2']],
    ],
    [
      'jobs of the values beside a blank',
      { queryType: 'fineTuningJobs', models: ['$none', 'qwen'] },
      [['ftjob-2', 'ftjob-2']],
    ],
    ['models', { queryType: 'fineTuningModels' }, [['Llama', 'meta/llama']]],
    ['statuses', { queryType: 'fineTuningStatuses' }, [['failed', 'failed']]],
    [
      'checkpoints',
      { queryType: 'fineTuningCheckpoints', jobIds: ['ftjob-1'] },
      [
        ['ftckpt-1 (step 10)', 'ftckpt-1'],
        ['ftckpt-3', 'ftckpt-3'],
      ],
    ],
  ])('has %s', async (_, query, expected) => {
    fakeGrafana(gateway, { s: ['FAILED', 'cancelled'], none: '', all: '$__all' });
    await expect(values(query)).resolves.toEqual(expected);
  });

  it('cancels the query of its values when nobody waits for them', () => {
    let canceled = 0;
    fakeGrafana();
    const dataSource = createDataSource();
    jest.spyOn(dataSource, 'query').mockReturnValue(new Observable(() => () => canceled++));
    const request = { targets: [{ refId: 'A', queryType: 'fineTuningCheckpoints' }], range, scopedVars: {} };
    (dataSource.variables as VariableSupport)
      .query(request as unknown as DataQueryRequest<GpuCloudVariableQuery>)
      .subscribe()
      .unsubscribe();
    expect(canceled).toBe(1);
  });

  it('requests the checkpoints of the jobs that another variable has', async () => {
    const { requests } = fakeGrafana(gateway, { job: ['a', 'b'] });
    await values({ queryType: 'fineTuningCheckpoints', jobIds: ['$job'] });
    expect(requests[0].data.queries[0]).toMatchObject({ queryType: 'fineTuningCheckpoints', jobIds: ['a', 'b'] });
  });

  it('fails with the sentence of the backend', async () => {
    fakeGrafana(failing('The tuning gateway refused the inference API key.'));
    await expect(values({ queryType: 'fineTuningModels' })).rejects.toThrow('refused the inference API key');
  });

  it('fails when its checkpoints can’t be read', async () => {
    fakeGrafana(() => ({ results: { A: { status: 502, error: 'The gateway is down.' } } }));
    await expect(values({ queryType: 'fineTuningCheckpoints' })).rejects.toThrow('The gateway is down.');
  });

  it('fails when Grafana itself doesn’t respond with its checkpoints', async () => {
    fakeGrafana(() => {
      throw { status: 502, data: { message: 'Bad gateway' } };
    });
    await expect(values({ queryType: 'fineTuningCheckpoints' })).rejects.toThrow('Bad gateway');
  });

  it('is edited beside Prometheus’ kinds', async () => {
    fakeGrafana(gateway);
    const dataSource = createDataSource();
    const onChange = jest.fn();
    const { editor: Editor } = variableSupport();
    function Page() {
      // A new variable has an empty text for a query.
      const [query, setQuery] = useState('' as unknown as GpuCloudVariableQuery);
      const change = (changed: GpuCloudVariableQuery) => {
        onChange(changed);
        setQuery(changed);
      };
      return <Editor datasource={dataSource} query={query} onChange={change} onRunQuery={() => {}} />;
    }
    render(<Page />);

    await userEvent.click(await screen.findByRole('radio', { name: 'Fine-tuning' }));
    expect(onChange).toHaveBeenLastCalledWith({ refId: 'GpuCloudVariable', queryType: 'fineTuningJobs' });

    await userEvent.click(screen.getByRole('radio', { name: 'Checkpoints' }));
    await userEvent.click(screen.getByRole('combobox', { name: 'Jobs' }));
    await userEvent.click(await screen.findByRole('option', { name: /bot/ }));
    expect(onChange).toHaveBeenLastCalledWith({
      refId: 'GpuCloudVariable',
      queryType: 'fineTuningCheckpoints',
      jobIds: ['ftjob-1'],
    });
  });
});

it.each([
  [{ refId: 'A', queryType: 'fineTuningJobs' }, 'Fine-tuning'],
  [{ refId: 'A', query: '' }, 'Metrics'],
  [{ refId: 'A', queryType: 'capacityProducts' }, 'Main API'],
])('says once that the service of %j is not configured', async (query, service) => {
  const { requests } = fakeGrafana();
  const { editor: Editor } = variableSupport();
  render(
    <Editor
      datasource={createDataSource({})}
      query={query as GpuCloudVariableQuery}
      onChange={() => {}}
      onRunQuery={() => {}}
    />
  );

  expect(await screen.findByRole('alert', { name: `${service} is not configured` })).toBeInTheDocument();
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  expect(requests).toEqual([]);
});

describe('a variable about runs', () => {
  const source = { kind: 'fineTuning', statuses: ['$s'] };
  const values = async (query: object) => {
    const request = { targets: [{ refId: 'A', source, ...query }], range, scopedVars: {} };
    const { data } = await lastValueFrom(
      variableSupport().query(request as unknown as DataQueryRequest<GpuCloudVariableQuery>)
    );
    return data.map(({ text, value }: MetricFindValue) => [text, value]);
  };

  it.each([
    [
      'runs by name',
      { queryType: 'runs' },
      [
        ['support-bot', 'ftjob-1'],
        ['larger-batch', 'ftjob-2'],
      ],
    ],
    ['each value of a label', { queryType: 'runLabels', label: 'model' }, [['meta/llama', 'meta/llama']]],
    [
      'names of runs',
      { queryType: 'runLabels' },
      [
        ['support-bot', 'support-bot'],
        ['larger-batch', 'larger-batch'],
      ],
    ],
  ])('has %s', async (_, query, expected) => {
    const { requests } = fakeGrafana(twoRuns, { s: ['running', 'failed'] });
    await expect(values(query)).resolves.toEqual(expected);
    expect(requests[0].data.queries[0]).toMatchObject({
      queryType: 'runs',
      source: { kind: 'fineTuning', statuses: ['running', 'failed'] },
      measures: [],
    });
  });

  it('has no value where no run is found', async () => {
    fakeGrafana(noRuns('No run.'));
    await expect(values({ queryType: 'runs' })).resolves.toEqual([]);
  });

  it('fails with what its source lacks', async () => {
    fakeGrafana(twoRuns);
    const series = { kind: 'series', expr: 'training_loss', by: [] };
    await expect(values({ queryType: 'runs', source: series })).rejects.toThrow('Enter the labels');
  });

  it('is edited by its source', async () => {
    fakeGrafana(twoRuns);
    const dataSource = createDataSource();
    const { editor: Editor } = variableSupport();
    let saved = { refId: 'A' } as GpuCloudVariableQuery;
    function Page() {
      const [query, setQuery] = useState(saved);
      const change = (changed: GpuCloudVariableQuery) => {
        saved = changed;
        setQuery(changed);
      };
      return <Editor datasource={dataSource} query={query} onChange={change} onRunQuery={() => {}} />;
    }
    render(<Page />);

    await userEvent.click(await screen.findByRole('radio', { name: 'Runs' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Label values' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Label (optional)' }), 'model{Enter}');
    await userEvent.click(screen.getByRole('radio', { name: 'PromQL series' }));

    expect(saved).toEqual({
      refId: 'A',
      queryType: 'runLabels',
      label: 'model',
      source: { kind: 'series', expr: '', by: [] },
    });
    expect(screen.getByPlaceholderText('pod_name')).toBeInTheDocument();
  });
});
