import { lastValueFrom } from 'rxjs';
import type { DataQueryRequest } from '@grafana/data';
import { createDataSource, fakeGrafana, range } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

/** What reaches the backend of a query. */
async function sent(query: GpuCloudQuery, variables: Record<string, string | string[]> = {}) {
  const { requests } = fakeGrafana(undefined, variables);
  const request = { targets: [query], range, scopedVars: {} } as unknown as DataQueryRequest<GpuCloudQuery>;
  await lastValueFrom(createDataSource().query(request));
  const { datasource, datasourceId, intervalMs, maxDataPoints, queryCachingTTL, ...own } = requests[0].data.queries[0];
  return own;
}

const jobs = (options: object): GpuCloudQuery => ({ refId: 'A', queryType: 'fineTuningJobs', ...options });

describe('a dashboard variable in a fine-tuning query', () => {
  it.each([
    ['with one value is that value', ['$job'], { job: 'ftjob-1' }, ['ftjob-1']],
    ['with several values is as many entries', ['$job'], { job: ['a', 'b'] }, ['a', 'b']],
    ['stands beside what is typed', ['x', '$job'], { job: ['a', 'b'] }, ['x', 'a', 'b']],
    ['may be a part of an entry', ['ftjob-${job}'], { job: ['a', 'b'] }, ['ftjob-a', 'ftjob-b']],
    ['may meet another', ['$x-$y'], { x: ['1', '2'], y: ['a', 'b'] }, ['1-a', '1-b', '2-a', '2-b']],
    ['with commas in its value stays one entry', ['$job'], { job: 'a,b' }, ['a,b']],
    ['without a value leaves an empty entry, which is not "all"', ['$job'], { job: '' }, ['']],
    ['with an empty list leaves an empty entry, too', ['$job'], { job: [] }, ['']],
    ['that nobody knows stays as it is', ['$other'], {}, ['$other']],
  ])('%s', async (_, jobIds, variables, expected) => {
    const query = await sent(jobs({ jobIds }), variables as Record<string, string | string[]>);
    expect(query).toEqual(jobs({ jobIds: expected }));
  });

  it('works in every option', async () => {
    const query = jobs({ statuses: ['$s'], models: ['$s'], format: '$f', onlyInRange: false });
    await expect(sent(query, { s: ['a', 'b'], f: 'count' })).resolves.toEqual(
      jobs({ statuses: ['a', 'b'], models: ['a', 'b'], format: 'count', onlyInRange: false })
    );
  });
});

describe('what is sent', () => {
  it('has none of the defaults that Grafana mixes into every query', async () => {
    const query = jobs({ statuses: ['failed'], expr: '', range: true, instant: false, editorMode: 'builder' });
    await expect(sent(query)).resolves.toEqual(jobs({ statuses: ['failed'] }));
  });

  it('has none of the options of another type', async () => {
    const query = { refId: 'A', queryType: 'trainingFiles', purposes: ['fine-tune'], statuses: ['failed'] };
    await expect(sent(query)).resolves.toEqual({ refId: 'A', queryType: 'trainingFiles', purposes: ['fine-tune'] });
  });
});
