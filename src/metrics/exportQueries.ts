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
  return new ExportedQueries(queries, await metrics.exportToAbstractQueries(queries));
}

/** Abstract queries, whose `map` gives the original query for each that is turned into a Prometheus query. */
class ExportedQueries extends Array<AbstractQuery> {
  static get [Symbol.species]() {
    return Array;
  }

  readonly #originals: MetricsQuery[];

  constructor(originals: MetricsQuery[], abstractQueries: AbstractQuery[]) {
    super(...abstractQueries);
    this.#originals = originals;
  }

  map<Imported>(toQuery: (query: AbstractQuery, index: number, all: AbstractQuery[]) => Imported): Imported[] {
    return Array.from(this, (query, index) => {
      const imported = toQuery(query, index, this);
      return isPrometheusQuery(imported) ? { ...imported, ...this.#originals[index] } : imported;
    });
  }
}

/** What Prometheus makes of label matchers. Loki's queries have an `expr` too, but a query type instead of a range. */
function isPrometheusQuery(query: unknown): query is MetricsQuery {
  return typeof query === 'object' && query !== null && 'expr' in query && 'range' in query && !('queryType' in query);
}
