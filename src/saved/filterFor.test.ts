import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

it.each([
  ['fineTuningJobs', 'status', { statuses: ['x'] }],
  ['fineTuningCurves', 'job', { jobIds: ['x'] }],
  ['capacities', 'type', { productNames: ['x'] }],
  ['placement', 'type', { types: ['x'] }],
  ['runs', 'status', { source: { kind: 'fineTuning', statuses: ['x'] } }],
  ['runs', 'model', { source: { kind: 'fineTuning', models: ['x'] } }],
  ['runs', 'run_id', { runs: ['x'] }],
  ['fineTuningJobs', 'suffix', {}],
])('“Filter for” in the result of %s of %s filters the query, as far as it can', (queryType, key, filtered) => {
  fakeGrafana();
  const query = { refId: 'A', queryType } as GpuCloudQuery;
  const action = { type: 'ADD_FILTER', options: { key, value: 'x' } };
  expect(createDataSource().modifyQuery(query, action)).toEqual({ ...query, ...filtered });
});

it('“Filter for” the status of a run that is no job has no option', () => {
  fakeGrafana();
  const query = { refId: 'A', queryType: 'runs', source: { kind: 'series', expr: 'x', by: ['pod'] } } as GpuCloudQuery;
  const action = { type: 'ADD_FILTER', options: { key: 'status', value: 'x' } };
  expect(createDataSource().modifyQuery(query, action)).toEqual(query);
});
