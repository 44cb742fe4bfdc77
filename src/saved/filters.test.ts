import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

const series = { kind: 'series', expr: 'training_loss', by: ['pod'] };
const quotas = { path: '/v1/quotas', columns: [{ selector: 'scope.region', name: 'region' }] };
const filter = (key: string, type: 'FILTER_FOR' | 'FILTER_OUT' = 'FILTER_FOR') => ({
  type,
  options: { key, value: 'x' },
});
const queryOf = (options: object) => ({ refId: 'A', ...options }) as GpuCloudQuery;

beforeEach(() => fakeGrafana());

it.each([
  [{ queryType: 'fineTuningJobs' }, 'status', { statuses: ['x'] }],
  [{ queryType: 'fineTuningCheckpoints' }, 'model', { models: ['x'] }],
  [{ queryType: 'fineTuningCurves' }, 'job', { jobIds: ['x'] }],
  [{ queryType: 'fineTuningEvents' }, 'level', { levels: ['x'] }],
  [{ queryType: 'trainingHealth' }, 'job', { jobIds: ['x'] }],
  [{ queryType: 'capacities' }, 'type', { productNames: ['x'] }],
  [{ queryType: 'placement' }, 'type', { types: ['x'] }],
  [{ queryType: 'runs' }, 'status', { source: { kind: 'fineTuning', statuses: ['x'] } }],
  [{ queryType: 'runs' }, 'model', { source: { kind: 'fineTuning', models: ['x'] } }],
  [{ queryType: 'runs' }, 'run_id', { runs: ['x'] }],
  [{ queryType: 'platform', ...quotas }, 'region', { filterMember: 'scope.region', filterValues: ['x'] }],
])('“Filter for” in the result of %j of %s is on, and off with the next click', (options, key, filtered) => {
  const source = createDataSource();
  const query = queryOf(options);
  const filteredQuery = source.toggleQueryFilter(query, filter(key));

  expect(filteredQuery).toEqual({ ...query, ...filtered });
  expect(source.queryHasFilter(query, { key, value: 'x' })).toBe(false);
  expect(source.queryHasFilter(filteredQuery, { key, value: 'x' })).toBe(true);
  expect(source.queryHasFilter(source.toggleQueryFilter(filteredQuery, filter(key)), { key, value: 'x' })).toBe(false);
});

it.each([
  [{ queryType: 'fineTuningJobs' }, 'suffix'],
  // That of an event is not that of its job.
  [{ queryType: 'fineTuningEvents' }, 'status'],
  [{ queryType: 'runs', source: series }, 'status'],
  // Options of jobs have no effect beside PromQL.
  [{ queryType: 'trainingHealth', expr: 'training_loss' }, 'job'],
])('“Filter for” in the result of %j of %s has no option', (options, key) => {
  const query = queryOf(options);
  expect(createDataSource().toggleQueryFilter(query, filter(key))).toEqual(query);
});

it('“Filter out” takes a value from those that are chosen', () => {
  const query = queryOf({ queryType: 'fineTuningJobs', statuses: ['x', 'running'] });
  expect(createDataSource().toggleQueryFilter(query, filter('status', 'FILTER_OUT'))).toEqual({
    ...query,
    statuses: ['running'],
  });
});

it.each([
  ['FILTER_FOR', 'up{job="x"}'],
  ['FILTER_OUT', 'up{job!="x"}'],
] as const)('%s adds a matcher to PromQL', (type, expr) => {
  const source = createDataSource();
  expect(source.toggleQueryFilter(queryOf({ expr: 'up' }), filter('job', type))).toMatchObject({ expr });
  expect(source.queryHasFilter(queryOf({ expr }), { key: 'job', value: 'x' })).toBe(false);
});

describe('an ad hoc filter of a dashboard', () => {
  const filters = [{ key: 'cluster_id', operator: '=', value: 'east', origin: 'dashboard' as const }];
  const applicability = (...queries: object[]) =>
    createDataSource().getDrilldownsApplicability({ filters, queries: queries.map(queryOf) });

  it.each([
    [{ expr: 'up' }],
    [{ queryType: 'runs', source: series }],
    [{ queryType: 'trainingHealth', expr: 'training_loss' }],
  ])('has an effect on %j', async (query) => {
    await expect(applicability({ queryType: 'fineTuningJobs' }, query)).resolves.toEqual([
      { key: 'cluster_id', origin: 'dashboard', applicable: true },
    ]);
  });

  it.each([
    [{ queryType: 'fineTuningJobs' }],
    [{ queryType: 'trainingHealth' }],
    [{ queryType: 'platform', ...quotas }],
  ])('has none on %j, which is said', async (query) => {
    const [{ applicable, reason }] = await applicability(query);
    expect(applicable).toBe(false);
    expect(reason).toMatch(/PromQL, runs and training health/);
  });

  it('has an effect where nobody says on what', async () => {
    await expect(applicability()).resolves.toMatchObject([{ applicable: true }]);
    await expect(createDataSource().getDrilldownsApplicability()).resolves.toEqual([]);
  });

  it('groups nothing, which is said', async () => {
    const applicable = createDataSource().getDrilldownsApplicability({
      groupByKeys: ['pod'],
      queries: [queryOf({ expr: 'up' })],
    });
    await expect(applicable).resolves.toMatchObject([{ key: 'pod', applicable: false }]);
  });
});
