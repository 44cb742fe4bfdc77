import type { AbstractQuery } from '@grafana/data';
import type { PrometheusDatasource } from '@grafana/prometheus';
import type { MetricsQuery } from '../types';

/**
 * Hands the queries of a panel over to the data source that the panel is switched to.
 *
 * Grafana knows one way only: abstract queries, which are label matchers. That is right for Loki, but Prometheus
 * would forget the expression, the legend and everything else. So the result carries the queries it was made of,
 * and gives them back where it is read as Prometheus reads it.
 */
export async function exportQueries(queries: MetricsQuery[], metrics: PrometheusDatasource): Promise<AbstractQuery[]> {
  const exported = await metrics.exportToAbstractQueries(queries);
  const map = (toQuery: (query: AbstractQuery, index: number, all: AbstractQuery[]) => unknown) =>
    Array.from(exported, (query, index) => {
      const imported = toQuery(query, index, exported);
      return isPrometheusQuery(imported) ? { ...imported, ...queries[index] } : imported;
    });
  return Object.defineProperty(exported, 'map', { value: map });
}

/** What Prometheus makes of label matchers. Loki's queries have an `expr` too, but a query type instead of a range. */
function isPrometheusQuery(query: unknown): query is MetricsQuery {
  return typeof query === 'object' && query !== null && 'expr' in query && 'range' in query && !('queryType' in query);
}
