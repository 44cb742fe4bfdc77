import { omit } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import type { MetricsQuery } from '../types';

/** A `Record`, so that an option of PromQL that a later version of its editor brings can't be forgotten here. */
const PROMQL_OPTIONS: Record<Exclude<keyof MetricsQuery, keyof DataQuery>, true> = {
  adhocFilters: true,
  editorMode: true,
  exemplar: true,
  expr: true,
  format: true,
  fromExploreMetrics: true,
  groupByKeys: true,
  hinting: true,
  instant: true,
  interval: true,
  intervalFactor: true,
  legendFormat: true,
  range: true,
  scopes: true,
  showingGraph: true,
  showingTable: true,
  utcOffsetSec: true,
  valueWithRefId: true,
};

/**
 * A query without the options of PromQL and of other types, which Grafana's defaults for new queries and changes of type
 * leave in it. What nobody knows stays: it may be of a later version of the plugin.
 *
 * @param own Options that the query's type has.
 * @param others Options that some other type has.
 */
export function omitLeftovers<Query extends DataQuery>(
  query: Query,
  own: readonly string[],
  others: readonly string[]
): Query {
  const foreign = [...Object.keys(PROMQL_OPTIONS), ...others].filter((option) => !own.includes(option));
  return omit(query, foreign) as Query;
}
