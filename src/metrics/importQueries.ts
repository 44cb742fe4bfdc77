import { hasQueryExportSupport, type DataSourceApi } from '@grafana/data';
import { getDataSourceSrv, isExpressionReference } from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';
import type { GpuCloudQuery, MetricsQuery } from '../types';
import type { MetricsDataSource } from './MetricsDataSource';

/** Plugin ids of the data sources whose queries have the same shape as ours. */
const PROMQL_PLUGINS = new Set([
  'prometheus',
  'grafana-amazonprometheus-datasource',
  'grafana-azureprometheus-datasource',
]);

/**
 * Takes over the queries of a panel that is switched from `origin` to this plugin.
 *
 * Prometheus queries and server-side expressions stay as they are. Of queries in another language, such as Loki's, the
 * label matchers are used, if `origin` exports them. Otherwise the result is empty, and Grafana starts a new query. Of
 * a mixed panel, each query is taken over from its own data source.
 */
export async function importQueries(
  queries: DataQuery[],
  origin: DataSourceApi,
  metrics: MetricsDataSource
): Promise<GpuCloudQuery[]> {
  if (origin.meta.mixed) {
    const imported = await Promise.all(queries.map((query) => importMixed(query, metrics)));
    return imported.flat();
  }
  if (origin.meta.id === metrics.type) {
    return queries as GpuCloudQuery[];
  }
  if (PROMQL_PLUGINS.has(origin.meta.id)) {
    return queries.map(toMetricsQuery);
  }
  if (hasQueryExportSupport(origin)) {
    return metrics.importFromAbstractQueries(await origin.exportToAbstractQueries(queries));
  }
  return [];
}

/** Each query of a mixed panel has a data source of its own. */
async function importMixed(query: DataQuery, metrics: MetricsDataSource): Promise<GpuCloudQuery[]> {
  if (isExpressionReference(query.datasource)) {
    return [toMetricsQuery(query)];
  }
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- Grafana 12.3 has no other way
    const origin = await getDataSourceSrv().get(query.datasource);
    return await importQueries([query], origin, metrics);
  } catch {
    // A data source that has been deleted says nothing about its queries.
    return [];
  }
}

function toMetricsQuery(query: DataQuery): MetricsQuery {
  const metricsQuery = { expr: '', ...query };
  if (isExpressionReference(query.datasource)) {
    return metricsQuery;
  }
  // Grafana used to save a query type with Prometheus queries that meant nothing. Here it decides.
  const { queryType, ...withoutType } = metricsQuery;
  return withoutType;
}
