import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

it('is described in the words of the editor', () => {
  fakeGrafana();
  const describe = (query: GpuCloudQuery) => createDataSource().getQueryDisplayText(query);
  expect(describe({ refId: 'A', queryType: 'fineTuningJobs', statuses: ['failed', 'cancelled'] })).toBe(
    'Fine-tuning jobs · failed, cancelled'
  );
  expect(describe({ refId: 'A', queryType: 'trainingFiles' })).toBe('Training files');
});
