import { AbstractLabelOperator, hasQueryImportSupport, type DataSourceApi } from '@grafana/data';
import { PrometheusDatasource } from '@grafana/prometheus';
import { setDataSourceSrv, type DataSourceSrv } from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';
import { createDataSource, fakeGrafana, instanceSettings, promql, TYPE, UID } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

describe('switching a panel', () => {
  const origin = (id: string, more: object = {}) => ({ meta: { id }, ...more }) as unknown as DataSourceApi;

  const switchTo = (queries: DataQuery[], from: DataSourceApi): Promise<GpuCloudQuery[]> =>
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only import that keeps an expression
    createDataSource().importQueries(queries, from);

  it('from Prometheus keeps its queries', async () => {
    fakeGrafana();
    const query = {
      refId: 'A',
      expr: 'sum by (le) (rate(x_bucket[5m]))',
      legendFormat: '{{le}}',
      interval: '2m',
      format: 'heatmap',
      range: true,
      editorMode: 'code',
    };

    await expect(switchTo([query], origin('prometheus'))).resolves.toEqual([query]);
  });

  it('from Prometheus drops the query type that old versions of Grafana saved', async () => {
    fakeGrafana();
    const saved = { refId: 'A', expr: 'up', queryType: 'randomWalk' };

    await expect(switchTo([saved], origin('prometheus'))).resolves.toEqual([{ refId: 'A', expr: 'up' }]);
  });

  it('from Prometheus keeps expressions', async () => {
    fakeGrafana();
    const expression = {
      refId: 'B',
      datasource: { type: '__expr__', uid: '__expr__' },
      type: 'math',
      expression: '$A * 2',
    };

    const [imported] = await switchTo([expression], origin('prometheus'));

    expect(imported).toMatchObject(expression);
  });

  it('from another language keeps the label matchers', async () => {
    fakeGrafana();
    const labelMatchers = [{ name: 'instance', operator: AbstractLabelOperator.Equal, value: 'node-1' }];
    const loki = origin('loki', { exportToAbstractQueries: async () => [{ refId: 'A', labelMatchers }] });

    await expect(switchTo([{ refId: 'A' }], loki)).resolves.toEqual([
      { refId: 'A', expr: '{instance="node-1"}', range: true },
    ]);
  });

  it('from a mixed panel takes over each query from its own data source', async () => {
    fakeGrafana();
    const labelMatchers = [{ name: 'instance', operator: AbstractLabelOperator.Equal, value: 'node-1' }];
    const origins: Record<string, DataSourceApi> = {
      [UID]: origin(TYPE),
      prom: origin('prometheus'),
      loki: origin('loki', { exportToAbstractQueries: async () => [{ refId: 'C', labelMatchers }] }),
      sql: origin('mysql'),
    };
    const get = async ({ uid }: { uid: string }) => {
      if (!origins[uid]) {
        throw new Error(`Data source ${uid} was not found`);
      }
      return origins[uid];
    };
    setDataSourceSrv({ get } as unknown as DataSourceSrv);
    const jobs = { refId: 'A', datasource: { uid: UID }, queryType: 'fineTuningJobs', statuses: ['failed'] };
    const prometheus = { refId: 'B', datasource: { uid: 'prom' }, expr: 'up', legendFormat: 'x' };
    const math = { refId: 'E', datasource: { type: '__expr__', uid: '__expr__' }, type: 'math', expression: '$A * 2' };
    const others = [
      { refId: 'C', datasource: { uid: 'loki' } },
      { refId: 'D', datasource: { uid: 'sql' } },
      { refId: 'F', datasource: { uid: 'gone' } },
    ];

    const mixed = { meta: { id: 'mixed', mixed: true } } as unknown as DataSourceApi;
    await expect(switchTo([jobs, prometheus, ...others, math], mixed)).resolves.toEqual([
      jobs,
      prometheus,
      { refId: 'C', expr: '{instance="node-1"}', range: true },
      { ...math, expr: '' },
    ]);
  });

  it('from a data source without labels starts anew', async () => {
    fakeGrafana();
    await expect(switchTo([{ refId: 'A' }], origin('mysql'))).resolves.toEqual([]);
  });

  it('offers no import of label matchers, which Grafana would prefer', () => {
    fakeGrafana();
    expect(hasQueryImportSupport(createDataSource())).toBe(false);
  });

  it('to Prometheus keeps its queries', async () => {
    fakeGrafana();
    const prometheus = new PrometheusDatasource({ ...instanceSettings(), type: 'prometheus' });
    const query = promql({ expr: 'sum(rate(x[5m]))', legendFormat: 'all', interval: '2m', format: 'table' });

    const exported = await createDataSource().exportToAbstractQueries([query]);

    await expect(prometheus.importFromAbstractQueries(exported)).resolves.toEqual([query]);
  });

  it('to another data source hands over metric and labels', async () => {
    fakeGrafana();
    const queries = [promql({ expr: 'up{instance="node-1"}' }), { refId: 'B', queryType: 'fineTuningJobs' }];

    const exported = await createDataSource().exportToAbstractQueries(queries);

    expect([...exported]).toEqual([
      {
        refId: 'A',
        labelMatchers: [
          { name: 'instance', operator: AbstractLabelOperator.Equal, value: 'node-1' },
          { name: '__name__', operator: AbstractLabelOperator.Equal, value: 'up' },
        ],
      },
    ]);
  });

  it('saves references to this plugin, not to Prometheus', () => {
    fakeGrafana();
    const [query] = createDataSource().interpolateVariablesInQueries([promql({})], {});
    expect(query.datasource).toEqual({ type: TYPE, uid: UID });
  });
});
