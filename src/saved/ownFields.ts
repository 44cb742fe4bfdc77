import { difference, isPlainObject, mapValues, omit, pick } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { definitionOf, isTypedQuery, QUERY_TYPES } from '../queryTypes';
import type { GpuCloudQuery, MetricsQuery, TypedQuery } from '../types';

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
  noCache: true,
  range: true,
  scopes: true,
  showingGraph: true,
  showingTable: true,
  untilEnd: true,
  utcOffsetSec: true,
  valueWithRefId: true,
};

const ALL_OPTIONS = [
  ...Object.keys(PROMQL_OPTIONS),
  ...Object.values(QUERY_TYPES).flatMap(({ options }) => Object.keys(options)),
];

/**
 * A query without the options of PromQL and of other types, which Grafana's defaults for new queries and changes of type
 * leave in it, and without those that must have no effect beside the others. What nobody knows stays: it may be of a later
 * version of the plugin.
 */
export function pickOwnFields<Query extends TypedQuery>(query: Query): Query {
  const { options, ignored } = definitionOf(query);
  return omit(query, difference(ALL_OPTIONS, Object.keys(options)), ignored?.(query) ?? []) as Query;
}

/** What queries of all types have. */
export const pickCommonFields = (query: DataQuery): DataQuery => pick(query, ['refId', 'datasource', 'hide', 'key']);

/** A changed query as Grafana gets it, with its type's own options alone, and with what is dropped without a value. */
export const handOver = (saved: DataQuery, changed: GpuCloudQuery): GpuCloudQuery =>
  clearDropped(saved, isTypedQuery(changed) ? pickOwnFields(changed) : changed);

/**
 * A changed query in which what is dropped is there, without a value: version 2 dashboards merge the saved query into it. A new
 * variable has no saved query, or an empty text for one.
 */
export const clearDropped = <Query extends DataQuery>(saved: DataQuery | undefined, changed: Query): Query => ({
  ...(isPlainObject(saved) ? mapValues(saved, () => undefined) : {}),
  ...changed,
});
