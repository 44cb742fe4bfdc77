import { lastValueFrom, Observable } from 'rxjs';
import type { DataQueryRequest, MetricFindValue } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { createDataSource, failing, fakeGrafana, range, UID } from '../testing/grafana';
import { noRuns, twoRuns } from '../testing/runs';
import type { GpuCloudVariableQuery } from './query';
import type { VariableSupport } from './VariableSupport';

const RESOURCES = `/api/datasources/uid/${UID}/resources/`;

function resultOf(query: object, dataSource = createDataSource()) {
  const scopedVars = { __dashboard: { text: '', value: { uid: 'd' } } };
  const request = { targets: [{ refId: 'A', ...query }], range, scopedVars };
  return (dataSource.variables as VariableSupport).query(request as unknown as DataQueryRequest<GpuCloudVariableQuery>);
}

/** Texts and values; a text alone where it is the value. */
async function valuesOf(query: object) {
  const { data } = await lastValueFrom(resultOf(query));
  return data.map(({ text, value = text }: MetricFindValue) => (text === value ? text : [text, value]));
}

/** A backend whose queries have a frame with these columns. */
const responding = (columns: Record<string, unknown[]>, meta = {}) => {
  const fields = Object.keys(columns).map((name) => ({ name }));
  return () => ({
    results: { A: { frames: [{ schema: { meta, fields }, data: { values: Object.values(columns) } }] } },
  });
};

describe('a PromQL variable', () => {
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
    await expect(valuesOf({ query })).resolves.toEqual(values);
    expect(requests.map(({ method, url }) => [method, url])).toEqual([['GET', RESOURCES + path]]);
  });
});

// One that is empty has queries that match nothing, and a panel that says so.
it.each(['label_names()', 'label_values(instance)', 'metrics(DCGM_.*)', 'query_result(up)', 'up{gpu="0"}'])(
  'the PromQL variable %s fails if the platform does',
  async (query) => {
    fakeGrafana(failing('The platform is down.'));
    await expect(valuesOf({ query })).rejects.toMatchObject({ data: { message: 'The platform is down.' } });
  }
);

describe('a variable about fine-tuning has', () => {
  const lists: Record<string, unknown> = {
    jobs: [
      { id: 'ftjob-1', name: 'bot', model: 'llama', status: 'failed' },
      { id: 'ftjob-2', name: 'ftjob-2', model: 'qwen', status: 'running' },
    ],
    models: [{ id: 'meta/llama' }],
    statuses: [{ status: 'failed' }],
  };
  const gateway = ({ url }: BackendSrvRequest) => lists[url.replace(RESOURCES, '')];
  const jobs = { queryType: 'fineTuningJobs' };

  it.each([
    ['jobs by name', jobs, [['bot', 'ftjob-1'], 'ftjob-2']],
    ['jobs of a status', { ...jobs, statuses: ['$s'] }, [['bot', 'ftjob-1']]],
    ['jobs of a status that was written by hand', { ...jobs, statuses: 'failed' }, [['bot', 'ftjob-1']]],
    ['no jobs for a variable without a value', { ...jobs, models: ['$none'] }, []],
    [
      'all jobs of a status where “All” of the models is chosen',
      { ...jobs, statuses: ['$s'], models: ['$all'] },
      [['bot', 'ftjob-1']],
    ],
    ['the jobs of each value of a list in one text', { ...jobs, models: ['{Qwen, other}'] }, ['ftjob-2']],
    ['jobs of the values beside a blank', { ...jobs, models: ['$none', 'qwen'] }, ['ftjob-2']],
    ['models', { queryType: 'fineTuningModels' }, ['meta/llama']],
    ['statuses', { queryType: 'fineTuningStatuses' }, ['failed']],
  ])('%s', async (_, query, expected) => {
    fakeGrafana(gateway, { s: ['FAILED', 'cancelled'], none: '', all: '$__all' });
    await expect(valuesOf(query)).resolves.toEqual(expected);
  });
});

describe('a variable about runs has', () => {
  it.each([
    [
      'runs by name',
      { queryType: 'runs' },
      [
        ['support-bot', 'ftjob-1'],
        ['larger-batch', 'ftjob-2'],
      ],
    ],
    ['each value of a label', { queryType: 'runLabels', label: 'model' }, ['meta/llama']],
    ['names of runs', { queryType: 'runLabels' }, ['support-bot', 'larger-batch']],
  ])('%s', async (_, query, expected) => {
    const { requests } = fakeGrafana(twoRuns, { s: ['running', 'failed'] });
    await expect(valuesOf({ source: { kind: 'fineTuning', statuses: ['$s'] }, ...query })).resolves.toEqual(expected);
    expect(requests[0].data.queries[0]).toMatchObject({
      queryType: 'runs',
      source: { kind: 'fineTuning', statuses: ['running', 'failed'] },
      measures: [],
    });
  });

  it('no value where no run is found', async () => {
    fakeGrafana(noRuns('No run.'));
    await expect(valuesOf({ queryType: 'runs', source: { kind: 'fineTuning' } })).resolves.toEqual([]);
  });
});

/** The types of machines that capacities name. */
const TYPES = { queryType: 'platform', path: '/v1/capacities', valueSelector: 'type' };

describe('a variable of the main API has', () => {
  it('none where the service is not set up, of which the backend sees that it is a dashboard', async () => {
    const { requests } = fakeGrafana(responding({ value: [] }));
    await expect(valuesOf(TYPES)).resolves.toEqual([]);
    expect(requests[0].headers).toMatchObject({ 'X-Dashboard-Uid': 'd' });
  });

  it('a member of any list, with another one as its text', async () => {
    const { requests } = fakeGrafana(responding({ value: ['1', '2', '2', null], text: ['one', null, 'two', 'none'] }));
    const query = { queryType: 'platform', path: '/v1/x', valueSelector: 'id', textSelector: 'name' };
    await expect(valuesOf(query)).resolves.toEqual([['one', '1'], '2']);
    expect(requests[0].data.queries[0].columns).toEqual([
      { selector: 'id', name: 'value', type: 'string' },
      { selector: 'name', name: 'text', type: 'string' },
    ]);
  });
});

describe('a variable fails, rather than being empty,', () => {
  const list = { queryType: 'platform', path: '/v1/x' };
  const badGateway = () => {
    throw { status: 502, data: { message: 'Bad gateway' } };
  };
  const misspelt = { notices: [{ severity: 'warning', text: 'Column "value": no item has names.' }] };

  it.each<[string, object, (request: BackendSrvRequest) => unknown, RegExp]>([
    [
      'with the sentence of the backend',
      { queryType: 'fineTuningModels' },
      failing('The key is refused.'),
      /is refused/,
    ],
    ['of another service, too', TYPES, failing('The key is refused.'), /is refused/],
    [
      'when its query has failed',
      TYPES,
      () => ({ results: { A: { status: 502, error: 'It is down.' } } }),
      /It is down/,
    ],
    ['when Grafana itself doesn’t respond', TYPES, badGateway, /Bad gateway/],
    ['with what its list lacks', list, () => ({}), /Choose a list/],
    [
      'with a misspelt member',
      { ...list, valueSelector: 'names' },
      responding({ value: [null, null] }, misspelt),
      /no item has names/,
    ],
  ])('%s', async (_, query, respond, sentence) => {
    fakeGrafana(respond);
    await expect(valuesOf(query)).rejects.toThrow(sentence);
  });
});

it('cancels the query of its values when nobody waits for them', () => {
  fakeGrafana();
  const dataSource = createDataSource();
  const canceled = jest.fn();
  jest.spyOn(dataSource, 'query').mockReturnValue(new Observable(() => canceled));
  resultOf(TYPES, dataSource).subscribe().unsubscribe();
  expect(canceled).toHaveBeenCalledTimes(1);
});
