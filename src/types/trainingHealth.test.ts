import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

const health = { refId: 'A', queryType: 'trainingHealth' };

/** What is sent of a query: without what is not defined. */
function sent(query: object, variables: Record<string, string | string[]> = {}) {
  fakeGrafana(undefined, variables);
  return JSON.parse(JSON.stringify(createDataSource().applyTemplateVariables(query as GpuCloudQuery, {})));
}

describe('a query about training health', () => {
  it.each([
    ['fills lists', { jobIds: ['$job'], metrics: ['$metric'] }, { jobIds: ['a', 'b'], metrics: ['loss'] }],
    ['fills the expression as PromQL', { expr: '$metric{pod="x"}' }, { expr: 'loss{pod="x"}' }],
    ['has no defaults of PromQL', { expr: '', range: true, editorMode: 'code' }, {}],
    // Not without an expression, which would be about all jobs.
    ['sends a blank of an emptied variable', { expr: '$none', jobIds: ['a'] }, { expr: ' ' }],
  ])('%s', (_, query, expected) => {
    expect(sent({ ...health, ...query }, { job: ['a', 'b'], metric: 'loss', none: '' })).toEqual({
      ...health,
      ...expected,
    });
  });

  it.each([
    [{}, 'Training health'],
    [{ statuses: ['running'], format: 'eta' }, 'Training health · eta · running'],
    [
      { expr: 'my_loss', statuses: ['running'], format: 'number', findings: ['late'] },
      'Training health · my_loss · number · late',
    ],
  ])('is described in a line: %j', (query, line) => {
    fakeGrafana();
    expect(createDataSource().getQueryDisplayText({ ...health, ...query } as GpuCloudQuery)).toBe(line);
  });
});
