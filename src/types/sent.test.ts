import type { AdHocVariableFilter } from '@grafana/data';
import { createDataSource, fakeGrafana } from '../testing/grafana';
import { QUERY_TYPES } from '../queryTypes';
import type { GpuCloudQuery } from '../types';

type Variables = Record<string, string | string[]>;

const series = { kind: 'series', expr: 'training_loss', by: ['pod_name'] };
const fineTuning = { kind: 'fineTuning' };

const queryOf = (options: object) => ({ refId: 'A', ...options }) as GpuCloudQuery;

/** What is sent of the options of a query: without what is not defined. */
function sent(options: object, variables: Variables = {}, filters?: AdHocVariableFilter[]) {
  fakeGrafana(undefined, variables);
  const { refId, ...query } = createDataSource().applyTemplateVariables(queryOf(options), {}, filters);
  return JSON.parse(JSON.stringify(query));
}

describe('a dashboard variable in a list', () => {
  it.each<[string, string[], Variables, string[]]>([
    ['with one value is that value', ['$job'], { job: 'ftjob-1' }, ['ftjob-1']],
    ['with several values is as many entries', ['$job'], { job: ['a', 'b'] }, ['a', 'b']],
    ['stands beside what is typed', ['x', '$job'], { job: ['a', 'b'] }, ['x', 'a', 'b']],
    ['may be a part of an entry', ['ftjob-${job}'], { job: ['a', 'b'] }, ['ftjob-a', 'ftjob-b']],
    ['may meet another', ['$x-$y'], { x: ['1', '2'], y: ['a', 'b'] }, ['1-a', '1-b', '2-a', '2-b']],
    ['with commas in its value stays one entry', ['$job'], { job: 'a,b' }, ['a,b']],
    ['of which all are chosen is left to the backend', ['$job', 'x'], { job: '$__all' }, ['$__all', 'x']],
    ['without a value leaves an empty entry, which is not "all"', ['$job'], { job: '' }, ['']],
    ['with an empty list leaves an empty entry, too', ['$job'], { job: [] }, ['']],
    ['that nobody knows stays as it is', ['$other'], {}, ['$other']],
  ])('%s', (_, jobIds, variables, expected) => {
    expect(sent({ queryType: 'fineTuningJobs', jobIds }, variables).jobIds).toEqual(expected);
  });
});

describe('dashboard variables', () => {
  const VALUES = {
    two: ['a', 'b'],
    one: 'x',
    label: 'pod',
    metric: 'loss',
    gap: '5m',
    format: 'number',
    n: '7',
    none: '',
  };

  it.each([
    [
      'are filled into every option of jobs',
      { queryType: 'fineTuningJobs', statuses: ['$two'], models: ['$one'], format: '$format', onlyInRange: false },
      { statuses: ['a', 'b'], models: ['x'], format: 'number', onlyInRange: false },
    ],
    [
      'are filled into training health, in its expression as PromQL',
      { queryType: 'trainingHealth', expr: '$metric{pod="$one"}', format: '$format', findings: ['$two'] },
      { expr: 'loss{pod="x"}', format: 'number', findings: ['a', 'b'] },
    ],
    // Not without an expression, which would be about all jobs.
    ['that are empty leave a blank', { queryType: 'trainingHealth', expr: '$none' }, { expr: ' ' }],
    [
      'are as many products and locations as they have values',
      { queryType: 'capacities', productNames: ['$two', 'y'], locations: ['$one'], format: '$format' },
      { productNames: ['a', 'b', 'y'], locations: ['x'], format: 'number' },
    ],
    [
      'are filled into every option of a placement',
      { queryType: 'placement', gpus: '$n', types: ['$two'], locations: ['$one'], format: '$format' },
      { gpus: '7', types: ['a', 'b'], locations: ['x'], format: 'number' },
    ],
    [
      'are filled into every option of a list, several values joined by commas',
      {
        queryType: 'platform',
        path: '/v1/projects/$one/quotas',
        params: [{ name: '$label', value: '$two' }],
        root: '$one.rows',
        columns: [{ selector: '$one', name: '$label', type: 'number', unit: '$metric' }],
        maxPages: '$n',
        timeColumn: '$label',
        filterMember: '$one',
        filterValues: ['$two', 'c'],
      },
      {
        path: '/v1/projects/x/quotas',
        params: [{ name: 'pod', value: 'a,b' }],
        root: 'x.rows',
        columns: [{ selector: 'x', name: 'pod', type: 'number', unit: 'loss' }],
        maxPages: 7,
        timeColumn: 'pod',
        filterMember: 'x',
        filterValues: ['a', 'b', 'c'],
      },
    ],
    [
      'are as many entries in a list of a source of runs',
      { queryType: 'runs', source: { ...fineTuning, jobIds: ['$two', 'y'], statuses: ['$one'] } },
      { source: { ...fineTuning, jobIds: ['a', 'b', 'y'], statuses: ['x'] } },
    ],
    [
      'are filled into every text of series',
      { queryType: 'runs', source: { kind: 'series', expr: '$metric{pod="$one"}', by: ['$two'], maxGap: '$gap' } },
      { source: { kind: 'series', expr: 'loss{pod="x"}', by: ['a', 'b'], maxGap: '5m' } },
    ],
    [
      'are filled into every text of runs by hand',
      { queryType: 'runs', source: { kind: 'manual', runs: [{ name: '$one', from: '$gap', to: '' }] } },
      { source: { kind: 'manual', runs: [{ name: 'x', from: '5m', to: '' }] } },
    ],
    [
      'are filled into chosen runs and the baseline, and may be a whole selector',
      {
        queryType: 'runs',
        source: series,
        runs: ['$two'],
        baseline: '$one',
        measures: ['$label'],
        selector: '${gap:raw}',
      },
      { source: series, runs: ['a', 'b'], baseline: 'x', measures: ['pod'], selector: '5m' },
    ],
  ])('%s', (_, { queryType, ...options }, expected) => {
    expect(sent({ queryType, ...options }, VALUES)).toEqual({ queryType, ...expected });
  });

  it('decide what kind of source runs have, and thereby what else has an effect', () => {
    const source = { kind: '$source', expr: '$metric', by: ['$by'] };
    const query = { queryType: 'runComparison', source, metric: 'train_loss' };
    expect(sent(query, { source: 'series', metric: 'loss', by: 'pod' })).toEqual({
      queryType: 'runComparison',
      source: { kind: 'series', expr: 'loss', by: ['pod'] },
    });
    expect(sent(query, { source: 'fineTuning' })).toMatchObject({ metric: 'train_loss' });
  });
});

describe('what the backend fills in is left to it', () => {
  it('for each run, even if the dashboard has a variable of that name', () => {
    const query = {
      queryType: 'runComparison',
      source: series,
      expr: 'avg(x{$selector}) / $run + ${duration} > $runs',
      selector: 'cluster_id="$cluster_id"',
    };
    expect(sent(query, { run: 'r', selector: 's', duration: 'd', runs: '1' })).toEqual({
      ...query,
      expr: 'avg(x{$selector}) / $run + $duration > 1',
    });
  });

  it.each([{ queryType: 'runComparison', source: series }, { queryType: 'trainingHealth' }])(
    'as the step of %j, however it is written',
    (query) => {
      const expr = 'rate(x[${__interval}]) + rate(x[$__rate_interval]) + ${__interval_ms}';
      expect(sent({ ...query, expr }, { __interval: '20s', __interval_ms: '20000' })).toMatchObject({
        expr: 'rate(x[$__interval]) + rate(x[$__rate_interval]) + $__interval_ms',
      });
    }
  );

  it('as ids and times of lists', () => {
    const params = [{ name: 'start_time', value: '$__timeFrom()' }];
    const query = { queryType: 'platform', path: '/v1/projects/{projectId}/quotas', params, root: 'items' };
    expect(sent(query)).toEqual(query);
  });
});

describe('what is sent', () => {
  const ofOthers = { expr: '', range: true, instant: false, editorMode: 'builder', legendFormat: 'x' };

  it.each(Object.keys(QUERY_TYPES))('has none of the defaults that Grafana mixes into every query: %s', (queryType) => {
    expect(Object.keys(sent({ queryType, ...ofOthers }))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(expr|range|instant|editorMode|legendFormat)$/)])
    );
  });

  it.each([
    ['none of the options of another type', { queryType: 'trainingFiles', statuses: ['failed'], path: '/v1/x' }, {}],
    [
      'no jobs beside PromQL, which have no field then',
      { queryType: 'trainingHealth', expr: 'my_loss', metrics: ['train_loss'], statuses: ['failed'] },
      { expr: 'my_loss' },
    ],
    [
      'no difference to a baseline that was cleared',
      { queryType: 'runComparison', source: fineTuning, metric: 'x', difference: true },
      { source: fineTuning, metric: 'x' },
    ],
    [
      'an empty list of measures, which asks for none',
      { queryType: 'runs', source: series, measures: [] },
      { source: series, measures: [] },
    ],
    ['what a later version has saved', { queryType: 'fineTuningJobs', later: { a: [1] } }, { later: { a: [1] } }],
    [
      'values of parameters that were numbers',
      { queryType: 'platform', path: '/v1/x', params: [{ name: 'limit', value: 5 }] },
      { path: '/v1/x', params: [{ name: 'limit', value: '5' }] },
    ],
  ])('has %s', (_, { queryType, ...options }, expected) => {
    expect(sent({ queryType, ...options })).toEqual({ queryType, ...expected });
  });

  it.each([{ queryType: 'runs' }, { queryType: 'trainingHealth', expr: 'training_loss' }])(
    'has the ad hoc filters of the dashboard: %j',
    (query) => {
      expect(sent(query, {}, [{ key: 'cluster_id', operator: '=', value: 'a' }])).toMatchObject({
        adhocFilters: [{ key: 'cluster_id', operator: 'equals', value: 'a' }],
      });
    }
  );

  it.each([
    ['the name of a kind', 'fineTuning', fineTuning],
    ['a job that is a number', { jobIds: 7 }, { ...fineTuning, jobIds: ['7'] }],
    ['series without labels', { kind: 'series', expr: 'x' }, { kind: 'series', expr: 'x', by: [] }],
    [
      'runs with times that are numbers',
      { kind: 'manual', runs: [{ name: 'a', from: 1000 }, 'b'] },
      { kind: 'manual', runs: [{ name: 'a', from: '1000', to: '' }] },
    ],
    ['one of a later version', { kind: 'later', x: { y: 1 } }, { kind: 'later', x: { y: 1 } }],
  ])('has a source that was written by hand: %s', (_, source, expected) => {
    expect(sent({ queryType: 'runs', source }).source).toEqual(expected);
  });
});

it.each([
  [{ queryType: 'platform', path: '' }, false],
  [{ queryType: 'capacities' }, true],
  [{ queryType: 'placement' }, true],
  [{ queryType: 'runs' }, true],
  [{ queryType: 'runs', hide: true }, false],
  // The backend says what is missing.
  [{ queryType: 'runs', source: { kind: 'series', expr: '', by: ['pod'] } }, false],
  [{ queryType: 'runs', source: { kind: 'series', expr: 'x' } }, true],
  [{ queryType: 'runs', source: { kind: 'series' } }, false],
  [{ queryType: 'runs', source: { kind: 'manual', runs: [] } }, false],
  [{ queryType: 'runComparison' }, true],
  [{ queryType: 'runComparison', metric: 'train_loss' }, true],
  [{ queryType: 'runComparison', source: series }, true],
])('a query is sent once anything is entered of what it is about: %j', (query, isSent) => {
  fakeGrafana();
  expect(createDataSource().filterQuery(queryOf(query))).toBe(isSent);
});

it.each([
  [{ queryType: 'fineTuningJobs', statuses: ['failed', 'cancelled'] }, 'Fine-tuning · Jobs · failed, cancelled'],
  [{ queryType: 'fineTuningJobs', statuses: 'failed' }, 'Fine-tuning · Jobs · failed'],
  [{ queryType: 'trainingFiles' }, 'Fine-tuning · Training files'],
  [{ queryType: 'trainingHealth', statuses: ['running'], format: 'eta' }, 'Training health · eta · running'],
  [
    { queryType: 'trainingHealth', expr: 'my_loss', statuses: ['running'], format: 'number', findings: ['late'] },
    'Training health · my_loss · number · late',
  ],
  [{ queryType: 'capacities', productNames: ['a100.1x'], locations: [] }, 'Main API · Capacities · a100.1x'],
  [{ queryType: 'platform', path: '/v1/x' }, 'Main API · API list · /v1/x'],
  [
    { queryType: 'placement', gpus: 64, types: ['h100', 'a100'], format: 'answer' },
    'Main API · Placement · 64 · answer · h100, a100',
  ],
  [{ queryType: 'runs' }, 'Runs · Measures · Fine-tuning jobs'],
  [{ queryType: 'runs', measures: ['cost'], source: series }, 'Runs · Measures · cost · training_loss by pod_name'],
  [
    { queryType: 'runComparison', metric: 'train_loss', runs: ['a'] },
    'Runs · Curves · train_loss · Fine-tuning jobs · a',
  ],
  [{ queryType: 'runAnnotations', source: { kind: 'manual', runs: [{ name: 'x' }] } }, 'Runs · Annotations · x'],
])('a query is described in a line, in the words of the editor: %j', (query, line) => {
  fakeGrafana();
  expect(createDataSource().getQueryDisplayText(queryOf(query))).toBe(line);
});
