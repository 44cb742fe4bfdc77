import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

it.each([
  ['fineTuningJobs', 'status', { statuses: ['x'] }],
  ['fineTuningCurves', 'job', { jobIds: ['x'] }],
  ['capacities', 'type', { productNames: ['x'] }],
  ['placement', 'type', { types: ['x'] }],
  ['fineTuningJobs', 'suffix', {}],
])('“Filter for” in the result of %s of %s filters the query, as far as it can', (queryType, key, filtered) => {
  fakeGrafana();
  const query = { refId: 'A', queryType } as GpuCloudQuery;
  const action = { type: 'ADD_FILTER', options: { key, value: 'x' } };
  expect(createDataSource().modifyQuery(query, action)).toEqual({ ...query, ...filtered });
});
