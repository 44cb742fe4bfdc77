import { METRIC_GROUPS } from '../../catalog/metrics/groups.ts';
import { findPrefix, seriesNames } from '../../catalog/metrics/naming.ts';
import { promql } from '../../testing/grafana';
import { entriesFor, search } from './entries';
import { insertQuery } from './insert';

/** All that the catalog knows, as a platform with the prefix names it. */
const allNames = (prefix: string) =>
  METRIC_GROUPS.flatMap(({ families }) => families)
    .flatMap(({ name, type }) => seriesNames(name, type === 'histogram'))
    .map((name) => name.replace(/^vendor_/, prefix));

const entriesOf = (names: string[]) => entriesFor(new Set(names));
const queryOf = (names: string[], name: string) =>
  entriesOf(names)
    .flatMap(({ queries }) => queries)
    .find((query) => query.name === name)!;

describe('the prefix', () => {
  it.each([
    ['vendor_', allNames('vendor_')],
    ['acme_cloud_', allNames('acme_cloud_')],
    // One name of another exporter that happens to end alike is outvoted.
    ['acme_', ['other_slurm_nodes', 'acme_vm_boot_time', 'acme_slurm_nodes']],
    [undefined, ['DCGM_FI_DEV_GPU_UTIL', 'slurm_nodes']],
    [undefined, []],
  ])('is %s', (prefix, names) => {
    expect(findPrefix(names, METRIC_GROUPS)).toBe(prefix);
  });
});

describe('the entries', () => {
  it('have the platform’s own names', () => {
    expect(queryOf(allNames('acme_cloud_'), 'Queue by partition').expr).toBe(
      'sum by (partition) (avg without (instance, pod) (avg_over_time(acme_cloud_slurm_partition_jobs_pending[5m])))'
    );
  });

  it('miss nothing on a platform that has all', () => {
    const entries = entriesOf(allNames('acme_'));

    expect(entries.flatMap(({ queries }) => queries).flatMap(({ missing }) => missing)).toEqual([]);
  });

  it('have the names of DCGM 4.6 where the platform has no others', () => {
    const names = ['DCGM_FI_DEV_GPU_UTIL_RATIO', 'DCGM_FI_PROF_SM_UTIL_RATIO'];
    const busy = queryOf(names, 'Busy but not computing');

    expect(busy.expr).toBe('avg by (instance) (DCGM_FI_DEV_GPU_UTIL_RATIO / 100 - DCGM_FI_PROF_SM_UTIL_RATIO)');
    expect(busy.missing).toEqual([]);
    expect(queryOf([...names, 'DCGM_FI_DEV_GPU_UTIL'], 'Utilization by node').expr).toBe(
      'avg by (instance) (avg by (cluster_id, instance, gpu) (avg_over_time(DCGM_FI_DEV_GPU_UTIL[10m])))'
    );
  });

  it('miss nothing where nothing is known', () => {
    expect(queryOf([], 'Queue by partition').missing).toEqual([]);
  });
});

describe('searching', () => {
  const found = (text: string) => search(entriesOf(allNames('vendor_')), text);

  it('finds a query by its description', () => {
    expect(found('Furthest below').map(({ queries }) => queries.map(({ name }) => name))).toEqual([['Stragglers']]);
  });

  it('finds a whole subject by its name', () => {
    const slurm = METRIC_GROUPS.find(({ name }) => name === 'Slurm')!;
    expect(found('slurm')[0].queries).toHaveLength(slurm.queries.length);
  });
});

describe('inserting', () => {
  it('keeps the editor where the builder can show the query', () => {
    const inserted = insertQuery(promql({ expr: '' }), { expr: 'topk(10, x)', legend: '{{gpu}}' }, '1m');

    expect(inserted).toEqual(promql({ expr: 'topk(10, x)', legendFormat: '{{gpu}}', editorMode: 'builder' as never }));
  });

  it('opens as code what the builder would change', () => {
    const { expr } = queryOf(allNames('vendor_'), 'Stragglers');

    expect(insertQuery(promql({ expr: '' }), { expr }, '1m')).toMatchObject({ expr, editorMode: 'code' });
  });

  it('has steps that fit what is collected every 5 minutes', () => {
    expect(insertQuery(promql({}), { expr: 'x' }, '5m').interval).toBe('5m');
    expect(insertQuery(promql({ interval: '1m' }), { expr: 'x' }, '5m').interval).toBe('5m');
    expect(insertQuery(promql({ interval: '10m' }), { expr: 'x' }, '5m').interval).toBe('10m');
  });
});
