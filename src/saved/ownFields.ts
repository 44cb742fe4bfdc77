import { difference, omit, pick } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { QUERY_TYPES, type TypedQuery } from '../queryTypes';
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
  noCache: true,
  range: true,
  scopes: true,
  showingGraph: true,
  showingTable: true,
  untilEnd: true,
  utcOffsetSec: true,
  valueWithRefId: true,
};

const optionsOf = ({ options }: { options: object }): string[] => Object.keys(options);

const ALL_OPTIONS = [...Object.keys(PROMQL_OPTIONS), ...Object.values(QUERY_TYPES).flatMap(optionsOf)];

/**
 * A query without the options of PromQL and of other types, which Grafana's defaults for new queries and changes of type
 * leave in it. What nobody knows stays: it may be of a later version of the plugin.
 */
export function pickOwnFields<Query extends TypedQuery>(query: Query): Query {
  return omit(query, difference(ALL_OPTIONS, optionsOf(QUERY_TYPES[query.queryType]))) as Query;
}

/** What queries of all types have. */
export const pickCommonFields = (query: DataQuery): DataQuery => pick(query, ['refId', 'datasource', 'hide', 'key']);
