import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

const series = { kind: 'series', expr: 'training_loss', by: ['pod_name'] };

/** What is sent of a query: without what is not defined. */
function sent(query: object, variables: Record<string, string | string[]> = {}) {
  fakeGrafana(undefined, variables);
  const saved = { refId: 'A', ...query } as GpuCloudQuery;
  return JSON.parse(JSON.stringify(createDataSource().applyTemplateVariables(saved, {})));
}

describe('a dashboard variable in a query about runs', () => {
  it.each([
    [
      'becomes as many entries in a list of the source',
      { source: { kind: 'fineTuning', jobIds: ['$job', 'x'], statuses: ['$status'] } },
      { source: { kind: 'fineTuning', jobIds: ['a', 'b', 'x'], statuses: ['failed'] } },
    ],
    [
      'works in every text of series',
      { source: { kind: 'series', expr: '$metric{pod="$status"}', by: ['$label'], maxGap: '$gap' } },
      { source: { kind: 'series', expr: 'loss{pod="failed"}', by: ['pod_name', 'pod'], maxGap: '5m' } },
    ],
    [
      'works in every text of runs by hand',
      { source: { kind: 'manual', runs: [{ name: '$status', from: '$gap', to: '' }] } },
      { source: { kind: 'manual', runs: [{ name: 'failed', from: '5m', to: '' }] } },
    ],
    [
      'works in measures of one’s own',
      { source: series, custom: [{ name: '$status', expr: 'max($metric{$selector}[$duration])', unit: '$unit' }] },
      { source: series, custom: [{ name: 'failed', expr: 'max(loss{$selector}[$duration])', unit: 'watt' }] },
    ],
    [
      'works in chosen runs and the baseline',
      { source: series, runs: ['$job'], baseline: '$status', measures: ['$label'], format: '$format' },
      { source: series, runs: ['a', 'b'], baseline: 'failed', measures: ['pod_name', 'pod'], format: 'number' },
    ],
  ])('%s', (_, query, expected) => {
    const variables = {
      job: ['a', 'b'],
      status: 'failed',
      metric: 'loss',
      label: ['pod_name', 'pod'],
      gap: '5m',
      unit: 'watt',
      format: 'number',
    };
    expect(sent({ queryType: 'runs', ...query }, variables)).toEqual({ refId: 'A', queryType: 'runs', ...expected });
  });

  it('leaves to the backend what it fills in for each run, even if the dashboard has a variable of that name', () => {
    const query = {
      queryType: 'runComparison',
      source: series,
      expr: 'avg(x{$selector}) / $run + ${duration} > $runs',
      selector: 'cluster_id="$cluster_id"',
      stepExpr: 'rate(step{$run}[$__rate_interval]) + ${__interval}',
      axis: 'step',
    };
    expect(sent(query, { run: 'r', selector: 's', duration: 'd', runs: '1' })).toEqual({
      ...query,
      refId: 'A',
      expr: 'avg(x{$selector}) / $run + $duration > 1',
      stepExpr: 'rate(step{$run}[$__rate_interval]) + $__interval',
    });
  });

  it('may be the kind of the source, which has a training metric if it is fine-tuning', () => {
    const source = { kind: '$source', expr: '$metric', by: ['$by'] };
    const query = { queryType: 'runComparison', source, metric: 'train_loss' };
    expect(sent(query, { source: 'series', metric: 'loss', by: 'pod' })).toEqual({
      refId: 'A',
      queryType: 'runComparison',
      source: { kind: 'series', expr: 'loss', by: ['pod'] },
    });
    expect(sent(query, { source: 'fineTuning' })).toMatchObject({ metric: 'train_loss' });
  });

  it('leaves the step to the backend, however it is written', () => {
    const expr = 'rate(x[${__interval}]) + rate(x[$__rate_interval]) + ${__interval_ms}';
    const left = 'rate(x[$__interval]) + rate(x[$__rate_interval]) + $__interval_ms';
    fakeGrafana(undefined, { __interval: '20s', __interval_ms: '20000' });
    const datasource = createDataSource();
    const expressions = [
      { queryType: 'runComparison', source: series, expr },
      { queryType: 'trainingHealth', expr },
    ].map((query) => datasource.applyTemplateVariables({ refId: 'A', ...query } as GpuCloudQuery, {}));
    expect(expressions).toMatchObject([{ expr: left }, { expr: left }]);
  });

  it('may be a whole selector', () => {
    const query = { queryType: 'runs', source: series, selector: '${gpus:raw}' };
    expect(sent(query, { gpus: 'pod="a"' })).toMatchObject({ selector: 'pod="a"' });
  });
});

describe('what is sent', () => {
  it.each([{ queryType: 'runs' }, { queryType: 'trainingHealth', expr: 'training_loss' }])(
    'has the ad hoc filters of the dashboard: %j',
    (query) => {
      fakeGrafana();
      const filters = [{ key: 'cluster_id', operator: '=', value: 'a' }];
      const saved = { refId: 'A', ...query } as GpuCloudQuery;
      expect(createDataSource().applyTemplateVariables(saved, {}, filters)).toMatchObject({
        adhocFilters: [{ key: 'cluster_id', operator: 'equals', value: 'a' }],
      });
    }
  );

  it('has what went, so that the backend names what is there instead', () => {
    const old = { queryType: 'runComparison', source: series, format: 'divergence', axis: 'share' };
    expect(sent(old)).toEqual({ refId: 'A', ...old });
    const annotations = { queryType: 'runAnnotations', source: series, axis: 'rebased' };
    expect(sent(annotations)).toEqual({ refId: 'A', ...annotations });
  });

  it('keeps an empty list of measures, which asks for none', () => {
    expect(sent({ queryType: 'runs', source: series, measures: [] })).toMatchObject({ measures: [] });
  });

  it('has none of the defaults that Grafana mixes into every query', () => {
    const query = { queryType: 'runComparison', source: series, expr: '', range: true, editorMode: 'builder' };
    expect(sent(query)).toEqual({ refId: 'A', queryType: 'runComparison', source: series });
  });
});

describe('a hand-written source', () => {
  it.each([
    ['is missing', undefined, { kind: 'fineTuning' }],
    ['is the name of a kind', 'fineTuning', { kind: 'fineTuning' }],
    [
      'has texts for lists',
      { statuses: 'failed', jobIds: 7 },
      { kind: 'fineTuning', statuses: ['failed'], jobIds: ['7'] },
    ],
    ['has no labels', { kind: 'series', expr: 'x' }, { kind: 'series', expr: 'x', by: [] }],
    ['has one label', { kind: 'series', expr: 'x', by: 'pod' }, { kind: 'series', expr: 'x', by: ['pod'] }],
    [
      'has times that are numbers',
      { kind: 'manual', runs: [{ name: 'a', from: 1000 }, 'b'] },
      { kind: 'manual', runs: [{ name: 'a', from: '1000', to: '' }] },
    ],
    ['is of a later version', { kind: 'later', x: { y: 1 } }, { kind: 'later', x: { y: 1 } }],
  ])('%s', (_, source, expected) => {
    expect(sent({ queryType: 'runs', source }).source).toEqual(expected);
  });
});

it.each([
  [{ queryType: 'runs' }, true],
  [{ queryType: 'runs', hide: true }, false],
  [{ queryType: 'runs', source: { kind: 'series', expr: '', by: ['pod'] } }, false],
  [{ queryType: 'runs', source: { kind: 'series', expr: 'x', by: [] } }, true],
  [{ queryType: 'runs', source: { kind: 'manual', runs: [] } }, false],
  [{ queryType: 'runComparison' }, true],
  [{ queryType: 'runComparison', metric: 'train_loss' }, true],
  [{ queryType: 'runComparison', source: series }, true],
  // The backend says what is missing.
])('is sent once anything is entered of what it is about: %j', (query, isSent) => {
  fakeGrafana();
  expect(createDataSource().filterQuery({ refId: 'A', ...query } as GpuCloudQuery)).toBe(isSent);
});

it.each([
  [{ queryType: 'runs' }, 'Runs · Fine-tuning jobs'],
  [{ queryType: 'runs', measures: ['cost'], source: series }, 'Runs · cost · training_loss by pod_name'],
  [{ queryType: 'runComparison', metric: 'train_loss', runs: ['a'] }, 'Runs · train_loss · Fine-tuning jobs · a'],
  [{ queryType: 'runAnnotations', source: { kind: 'manual', runs: [{ name: 'x' }] } }, 'Run annotations · x'],
])('is described in a line: %j', (query, line) => {
  fakeGrafana();
  expect(createDataSource().getQueryDisplayText({ refId: 'A', ...query } as GpuCloudQuery)).toBe(line);
});
