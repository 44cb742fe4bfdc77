import { pick } from 'lodash';
import { lastValueFrom } from 'rxjs';
import { CoreApp, LoadingState, type Field, type Scope } from '@grafana/data';
import { config } from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';
import { createDataSource, fakeGrafana, panelRequest as request, promql, range, TYPE, UID } from './testing/grafana';
import pluginJson from './plugin.json';
import type { GpuCloudQuery } from './types';

/** What a legend shows. */
const getName = (field: Field) => field.config.displayNameFromDS ?? field.name;

/** A bucket of a histogram, as the backend sends a time series. */
const bucket = (le: string) => ({
  schema: {
    refId: 'A',
    meta: { type: 'timeseries-multi' },
    fields: [
      { name: 'Time', type: 'time' },
      { name: 'Value', type: 'number', labels: { le } },
    ],
  },
  data: { values: [[1000], [1]] },
});

/** Runs queries as a panel does, and returns those that left, in the requests that they left in. */
async function sent(targets: GpuCloudQuery[], more: Partial<ReturnType<typeof request>> = {}) {
  const { requests } = fakeGrafana();
  await lastValueFrom(createDataSource().query({ ...request(targets), ...more }));
  return requests.map(({ data }) => data.queries);
}

afterEach(() => {
  config.publicDashboardAccessToken = '';
});

describe('a PromQL query', () => {
  it('leaves as one POST to the query API, in the shape of a Prometheus query', async () => {
    const { requests } = fakeGrafana(undefined, { host: 'node-1' });
    const query = promql({
      expr: 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL{instance="$host"})',
      legendFormat: '{{instance}} on $host',
      interval: '2m',
      format: 'time_series',
    });

    await lastValueFrom(createDataSource().query(request([query])));

    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', url: `/api/ds/query?ds_type=${TYPE}&requestId=Q100` });
    expect(requests[0].data).toEqual({
      from: String(range.from.valueOf()),
      to: String(range.to.valueOf()),
      queries: [
        expect.objectContaining({
          refId: 'A',
          datasource: { type: TYPE, uid: UID },
          expr: 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL{instance="node-1"})',
          legendFormat: '{{instance}} on node-1',
          interval: '2m',
          format: 'time_series',
          range: true,
          intervalMs: 60_000,
          maxDataPoints: 500,
        }),
      ],
    });
  });

  it.each(['table', 'heatmap'] as const)(
    'in the format %s is shaped in the browser, from time series',
    async (format) => {
      const { requests } = fakeGrafana(() => ({
        results: { A: { status: 200, frames: [bucket('0.5'), bucket('1')] } },
      }));

      const { data } = await lastValueFrom(createDataSource().query(request([promql({ format })])));

      expect(requests[0].data.queries[0].format).toBe('time_series');
      expect(data).toHaveLength(1);
      expect(data[0].fields.map(getName)).toEqual(format === 'table' ? ['Time', 'le', 'Value'] : ['Time', '0.5', '1']);
    }
  );

  it('is a table without columns where nothing matches, so that its panel says what it says of no data', async () => {
    const notices = [{ severity: 'info', text: 'metric might not be a counter' }];
    fakeGrafana(() => ({
      results: {
        A: {
          status: 200,
          frames: [{ schema: { refId: 'A', meta: { notices, custom: { resultType: 'vector' } }, fields: [] } }],
        },
        B: {
          status: 200,
          frames: [{ schema: { refId: 'B', meta: { custom: { resultType: 'vector' } }, fields: [] } }],
        },
      },
    }));
    const queries = ['A', 'B'].map((refId) => promql({ refId, format: 'table' }));

    const { data } = await lastValueFrom(createDataSource().query(request(queries)));

    expect(data.map(({ refId, fields, length }) => [refId, fields, length])).toEqual([
      ['A', [], 0],
      ['B', [], 0],
    ]);
    expect(data[0].meta.notices).toEqual(notices);
  });

  const equal = (key: string, value: string) => ({ key, operator: '=', value });
  const macros = 'rate(vendor_vm_cpu_seconds_total[$__rate_interval]) + $__interval_ms';

  it.each([
    ['leaves the macros to the backend', { expr: macros }, {}, [{ expr: macros }]],
    ['never requests exemplars, even if it was saved with them', { exemplar: true }, {}, [{ exemplar: false }]],
    [
      'is sent twice when it is both a range and an instant query',
      { range: true, instant: true },
      {},
      [
        { refId: 'A', range: true, instant: false },
        { refId: 'A-Instant', range: false, instant: true },
      ],
    ],
    [
      'is narrowed by the ad hoc filters of the dashboard',
      {},
      { filters: [equal('instance', 'node-1')] },
      [{ expr: 'up{instance="node-1"}' }],
    ],
    [
      'is narrowed by an ad hoc filter of several values',
      {},
      { filters: [{ ...equal('gpu', '0'), operator: '=|', values: ['0', '1'] }] },
      [{ expr: 'up{gpu=~"0|1"}' }],
    ],
    ['bypasses the cache where Grafana requests that', {}, { skipQueryCache: true }, [{ noCache: true }]],
    ['takes from the cache otherwise', {}, { skipQueryCache: false }, [{ noCache: undefined }]],
  ])('%s', async (_, query, more, expected: object[]) => {
    const [queries] = await sent([promql(query)], more);
    expect(queries).toHaveLength(expected.length);
    expect(expected.map((options, index) => pick(queries[index], Object.keys(options)))).toEqual(expected);
  });

  it.each([
    ['does not run without an expression', promql({ expr: '' }), false],
    ['does not run when it is hidden', promql({ hide: true }), false],
    ['runs with an expression', promql({}), true],
    ['runs with the type "metrics"', promql({ queryType: 'metrics' }), true],
  ])('%s', (_, query, runs) => {
    fakeGrafana();
    expect(createDataSource().filterQuery(query)).toBe(runs);
  });
});

describe('a query of another type', () => {
  const jobs = { refId: 'B', queryType: 'fineTuningJobs', statuses: ['running'] };

  it('is not dropped for having no expression', () => {
    fakeGrafana();
    expect(createDataSource().filterQuery(jobs)).toBe(true);
    expect(createDataSource().filterQuery({ ...jobs, hide: true })).toBe(false);
  });

  it('reaches the backend as it is saved', async () => {
    const [[query]] = await sent([jobs]);

    expect(query).toMatchObject({ ...jobs, datasource: { type: TYPE, uid: UID } });
    expect(query).not.toHaveProperty('expr');
  });

  it('is a table without columns where nothing was found, so that its panel says what it says of no data', async () => {
    const notices = [{ severity: 'info', text: 'No job has one of the statuses.' }];
    const fields = [{ name: 'name', type: 'string' }];
    fakeGrafana(() => ({
      results: {
        B: {
          status: 200,
          frames: [{ schema: { refId: 'B', meta: { type: 'table', notices }, fields }, data: { values: [[]] } }],
        },
      },
    }));

    const { data } = await lastValueFrom(createDataSource().query(request([jobs])));

    expect(data).toMatchObject([{ refId: 'B', fields: [], length: 0, meta: { notices } }]);
  });

  it('keeps the axis of a trend panel where nothing was found, which would say that the axis is missing', async () => {
    const meta = { type: 'table', preferredVisualisationPluginId: 'trend' };
    const fields = [{ name: 'elapsed', type: 'number' }];
    fakeGrafana(() => ({
      results: { B: { status: 200, frames: [{ schema: { refId: 'B', meta, fields }, data: { values: [[]] } }] } },
    }));

    const { data } = await lastValueFrom(createDataSource().query(request([jobs])));

    expect(data).toMatchObject([{ fields: [{ name: 'elapsed' }], length: 0 }]);
  });

  it('beside PromQL has one result with it, by requests that do not cancel each other', async () => {
    const { requests } = fakeGrafana(({ data }) => ({
      results: Object.fromEntries(
        (data.queries as DataQuery[]).map(({ refId }) => [
          refId,
          { status: 200, frames: [{ schema: { refId, fields: [] }, data: { values: [] } }] },
        ])
      ),
    }));

    const response = await lastValueFrom(createDataSource().query(request([promql({}), jobs])));

    expect(requests.map(({ data }) => data.queries.map((query: DataQuery) => query.refId))).toEqual([['A'], ['B']]);
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(2);
    expect(response.data.map((frame) => frame.refId)).toEqual(['A', 'B']);
  });

  it('that fails as a whole beside PromQL has its error in the response', async () => {
    fakeGrafana(({ data }) => {
      if (data.queries[0].refId === 'B') {
        throw { status: 504, statusText: 'Gateway Timeout', data: { message: 'Grafana gave up waiting.' } };
      }
      return { results: {} };
    });

    const { errors, state } = await lastValueFrom(createDataSource().query(request([promql({}), jobs])));

    expect(errors?.map(({ message, data }) => data?.message ?? message)).toEqual(['Grafana gave up waiting.']);
    expect(state).toBe(LoadingState.Error);
  });

  it('beside PromQL leaves no list of errors where there is none, which would hide a single one', async () => {
    fakeGrafana(() => ({ results: {} }));
    const response = await lastValueFrom(createDataSource().query(request([promql({}), jobs])));
    expect(response.errors).toBeUndefined();
  });

  it('is not run in a mixed panel while it is hidden or blank, and neither is PromQL', async () => {
    const idle = [promql({ expr: '' }), promql({ hide: true }), { ...jobs, hide: true }];
    const blank = { refId: 'C', queryType: 'platform', path: '' };

    await expect(sent([...idle, blank])).resolves.toEqual([]);
    await expect(sent([...idle, blank, jobs])).resolves.toEqual([[expect.objectContaining({ refId: 'B' })]]);
  });

  it('on a public dashboard is part of the one request that runs the panel', async () => {
    config.publicDashboardAccessToken = 'abc';
    await expect(sent([promql({}), jobs])).resolves.toHaveLength(1);
  });

  it('on a public dashboard keeps its frames, while those of PromQL get their legend', async () => {
    config.publicDashboardAccessToken = 'abc';
    const time = { name: 'Time', type: 'time' };
    const series = { name: 'up', type: 'number', labels: { __name__: 'up', gpu: '0' } };
    const frame = (refId: string, field: object) => ({
      schema: { refId, fields: [time, field] },
      data: { values: [[1000], [1]] },
    });
    fakeGrafana(() => ({
      results: {
        A: { status: 200, frames: [frame('A', series)] },
        B: { status: 200, frames: [frame('B', { name: 'job_id', type: 'string' })] },
      },
    }));
    const table = { ...jobs, format: 'table' };

    const { data } = await lastValueFrom(
      createDataSource().query(request([promql({ legendFormat: '__auto' }), table]))
    );

    expect(data.map((frame) => [frame.refId, frame.fields.map(getName)])).toEqual([
      ['A', ['Time', expect.stringContaining('gpu="0"')]],
      ['B', ['Time', 'job_id']],
    ]);
  });

  it('on a public dashboard is a table when it came as one', async () => {
    config.publicDashboardAccessToken = 'abc';
    const names = ['Time', '0.5', '1'];
    const fields = names.map((name, i) => ({ name, type: i === 0 ? 'time' : 'number' }));
    const frame = { schema: { refId: 'A', meta: { type: 'table' }, fields }, data: { values: [[1000], [1], [2]] } };
    fakeGrafana(() => ({ results: { A: { status: 200, frames: [frame] } } }));

    const { data } = await lastValueFrom(createDataSource().query(request([promql({ format: 'table' })])));

    expect(data.map(({ meta, fields }) => [meta?.type, fields.map(getName)])).toEqual([['table', names]]);
  });

  it('on a public dashboard is a heatmap of the buckets that came', async () => {
    config.publicDashboardAccessToken = 'abc';
    const bucket = (le: string, values: number[]) => ({
      schema: {
        refId: 'A',
        meta: { type: 'timeseries-multi' },
        fields: [
          { name: 'Time', type: 'time' },
          { name: 'Value', type: 'number', labels: { le } },
        ],
      },
      data: { values: [[1000, 2000], values] },
    });
    const frames = [bucket('1', [3, 5]), bucket('0.5', [1, 4])];
    fakeGrafana(() => ({ results: { A: { status: 200, frames } } }));

    const { data } = await lastValueFrom(createDataSource().query(request([promql({ format: 'heatmap' })])));

    expect(data.map(({ meta, fields }) => [meta?.type, fields.map(getName)])).toEqual([
      ['heatmap-rows', ['Time', '0.5', '1']],
    ]);
    expect(data[0].fields.map(({ values }: Field) => values)).toEqual([
      [1000, 2000],
      [1, 4],
      [2, 1],
    ]);
  });

  it('is PromQL if it has an expression and a query type that old versions of Grafana saved', () => {
    fakeGrafana();
    const dataSource = createDataSource();
    const stale = promql({ expr: 'up', queryType: 'randomWalk' });

    expect(dataSource.getQueryDisplayText(stale)).toBe('up');
    expect(dataSource.filterQuery(stale)).toBe(true);
    expect(dataSource.getQueryDisplayText({ ...jobs, expr: 'up' } as GpuCloudQuery)).toMatch(/^Fine-tuning/);
  });

  it('does not change the requests of PromQL queries', async () => {
    fakeGrafana(() => ({ data: [] }));
    const dataSource = createDataSource();

    expect(dataSource.getQueryDisplayText({ refId: 'B', queryType: 'somethingNew' })).toBe('somethingNew');
    expect(dataSource.targetContainsTemplate({ ...jobs, statuses: ['$status'] } as GpuCloudQuery)).toBe(true);
    expect(dataSource.getQueryHints(jobs, [])).toEqual([]);
    expect(dataSource.interpolateVariablesInQueries([jobs], {})).toEqual([
      { ...jobs, datasource: { type: TYPE, uid: UID } },
    ]);
    await expect(dataSource.getTagKeys({ filters: [], timeRange: range, queries: [jobs] })).resolves.toEqual([]);
  });
});

describe('defaults', () => {
  it('sends GET and assumes a sample every 60 s', async () => {
    const { requests } = fakeGrafana(() => ({ status: 'success', data: ['instance'] }));
    const dataSource = createDataSource();

    await dataSource.metricFindQuery('label_names()', { range });

    expect(dataSource.interval).toBe('60s');
    expect(requests[0]).toMatchObject({
      method: 'GET',
      url: `/api/datasources/uid/${UID}/resources/api/v1/labels`,
    });
  });

  it('does what the settings say instead', async () => {
    const { requests } = fakeGrafana(() => ({ status: 'success', data: [] }));
    const dataSource = createDataSource({ httpMethod: 'POST', timeInterval: '5m' });

    await dataSource.metricFindQuery('label_names()', { range });

    expect(dataSource.interval).toBe('5m');
    expect(requests[0].method).toBe('POST');
  });

  it.each([
    [CoreApp.PanelEditor, { expr: '', range: true, instant: false }],
    [CoreApp.Explore, { expr: '', range: true, instant: true }],
    [CoreApp.UnifiedAlerting, { expr: '', range: false, instant: true }],
  ])('starts a new query in %s as Prometheus does', (app, expected) => {
    fakeGrafana();
    expect(createDataSource().getDefaultQuery(app)).toMatchObject(expected);
  });

  it('requests nothing before it is needed', () => {
    const { requests } = fakeGrafana();
    createDataSource();
    expect(requests).toEqual([]);
  });

  it('starts the editor without requesting rules, exemplars or build information', async () => {
    const { requests } = fakeGrafana(({ url }) => ({ status: 'success', data: url.endsWith('metadata') ? {} : [] }));

    await createDataSource().languageProvider.start(range);

    const requested = requests.map(({ url }) => url.split('/resources/')[1]);
    expect(requested.sort()).toEqual(['api/v1/label/__name__/values', 'api/v1/labels', 'api/v1/metadata']);
  });
});

describe('ad hoc filters', () => {
  it('may have several values', () => {
    expect(pluginJson.multiValueFilterOperators).toBe(true);
  });

  it('offer the labels of the panel’s metrics', async () => {
    const { requests } = fakeGrafana(() => ({ status: 'success', data: ['gpu', 'instance'] }));

    const keys = await createDataSource().getTagKeys({
      filters: [],
      timeRange: range,
      queries: [promql({ expr: 'up' })],
    });

    expect(keys).toEqual([
      { text: 'gpu', value: 'gpu' },
      { text: 'instance', value: 'instance' },
    ]);
    expect(requests[0].params).toMatchObject({ 'match[]': '{__name__=~"up"}' });
  });

  it('offer what is within the scopes of the dashboard', async () => {
    const { requests } = fakeGrafana(() => ({ status: 'success', data: ['node-1'] }));
    const scope: Scope = {
      metadata: { name: 'team' },
      spec: {
        title: 'Team',
        filters: [{ key: 'pool', value: 'a', values: ['a', 'b'], operator: 'one-of' }],
      },
    };

    const offered = { filters: [], timeRange: range, queries: [promql({ expr: 'up' })], scopes: [scope] };
    await createDataSource().getTagKeys(offered);
    await createDataSource().getTagValues({ ...offered, key: 'instance' });

    for (const { params } of requests) {
      expect(params).toMatchObject({ 'match[]': '{__name__=~"up",pool=~"a|b"}' });
    }
    expect(requests.at(-1)?.url).toBe(`/api/datasources/uid/${UID}/resources/api/v1/label/instance/values`);
  });

  it('offer the values of a label', async () => {
    const { requests } = fakeGrafana(() => ({ status: 'success', data: ['node-1'] }));

    const values = await createDataSource().getTagValues({ key: 'instance', filters: [], timeRange: range });

    expect(values).toEqual([{ text: 'node-1', value: 'node-1' }]);
    expect(requests[0].url).toBe(`/api/datasources/uid/${UID}/resources/api/v1/label/instance/values`);
  });
});
