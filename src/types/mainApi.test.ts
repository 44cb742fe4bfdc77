import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

const filled = (query: object, variables: Record<string, string | string[]> = {}) => {
  fakeGrafana(undefined, variables);
  const dataSource = createDataSource({ projectId: 'p-1' });
  const saved = { refId: 'A', ...query } as GpuCloudQuery;
  // As it is sent: without what is not defined.
  return JSON.parse(JSON.stringify(dataSource.applyTemplateVariables(saved, {})));
};

it('makes as many products and locations of a variable as it has values', () => {
  const query = { queryType: 'capacities', productNames: ['$gpu', 'l40s.1x'], locations: ['$where'], format: 'number' };
  expect(filled(query, { gpu: ['a100.1x', 'a100.2x'], where: 'us-east1-a' })).toEqual({
    refId: 'A',
    queryType: 'capacities',
    productNames: ['a100.1x', 'a100.2x', 'l40s.1x'],
    locations: ['us-east1-a'],
    format: 'number',
  });
});

it('fills variables into every option of a list, several values joined by commas', () => {
  const query = {
    queryType: 'platform',
    path: '/v1/projects/$project/quotas',
    params: [{ name: '$name', value: '$gpu' }],
    root: '$member.rows',
    columns: [{ selector: '$member', name: '$name', type: 'number', unit: '$unit' }],
    maxPages: 3,
    timeColumn: '$name',
    filterMember: '$member',
    filterValues: ['$gpu', 'c'],
  };
  const variables = { project: 'p-2', name: 'n', gpu: ['a', 'b'], member: 'items', unit: 'bytes' };
  expect(filled(query, variables)).toEqual({
    refId: 'A',
    queryType: 'platform',
    path: '/v1/projects/p-2/quotas',
    params: [{ name: 'n', value: 'a,b' }],
    root: 'items.rows',
    columns: [{ selector: 'items', name: 'n', type: 'number', unit: 'bytes' }],
    maxPages: 3,
    timeColumn: 'n',
    filterMember: 'items',
    filterValues: ['a', 'b', 'c'],
  });
});

it('fills variables into every option of a placement', () => {
  const query = { queryType: 'placement', gpus: '$n', types: ['$gpu'], locations: ['$where'], format: '$format' };
  const variables = { n: '64', gpu: ['h100', 'a100'], where: 'us-east1-a', format: 'answer' };
  expect(filled(query, variables)).toEqual({
    refId: 'A',
    queryType: 'placement',
    gpus: '64',
    types: ['h100', 'a100'],
    locations: ['us-east1-a'],
    format: 'answer',
  });
});

it('leaves to the backend what “All” and a variable without a value mean', () => {
  const query = { queryType: 'capacities', productNames: ['$gpu', 'l40s.1x'], locations: ['$where'] };
  expect(filled(query, { gpu: '$__all', where: '' })).toEqual({
    refId: 'A',
    queryType: 'capacities',
    productNames: ['$__all', 'l40s.1x'],
    locations: [''],
  });
});

it('leaves to the backend what the backend fills in', () => {
  const params = [{ name: 'start_time', value: '$__timeFrom()' }];
  const query = { queryType: 'platform', path: '/v1/projects/{projectId}/quotas', params, root: 'items' };
  expect(filled(query)).toEqual({ refId: 'A', ...query });
});

it('has none of the options of other types', () => {
  const query = { queryType: 'capacities', expr: 'up', range: true, path: '/v1/x', statuses: ['failed'] };
  expect(filled(query)).toEqual({ refId: 'A', queryType: 'capacities' });
});

it('sends nothing as long as there is no path', () => {
  fakeGrafana();
  expect(createDataSource().filterQuery({ refId: 'A', queryType: 'platform', path: '' })).toBe(false);
  expect(createDataSource().filterQuery({ refId: 'A', queryType: 'capacities' })).toBe(true);
});

it('sends no placement without a number of GPUs, unless the result does not depend on it', () => {
  fakeGrafana();
  const sends = (query: object) =>
    createDataSource().filterQuery({ refId: 'A', queryType: 'placement', ...query } as GpuCloudQuery);
  expect([sends({}), sends({ gpus: 8 }), sends({ format: 'answer' })]).toEqual([false, true, false]);
  expect([sends({ format: 'number' }), sends({ format: 'nodes' })]).toEqual([true, true]);
});

it('is described in a line', () => {
  fakeGrafana();
  const describe = (query: object) => createDataSource().getQueryDisplayText({ refId: 'A', ...query } as GpuCloudQuery);
  expect(describe({ queryType: 'capacities', productNames: ['a100.1x'], locations: [] })).toBe('Capacities · a100.1x');
  expect(describe({ queryType: 'platform', path: '/v1/x' })).toBe('API list · /v1/x');
  const placement = { queryType: 'placement', gpus: 64, types: ['h100', 'a100'], format: 'answer' };
  expect(describe(placement)).toBe('Placement · 64 · answer · h100, a100');
});
