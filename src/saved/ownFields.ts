import { omit } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import type { PlatformQuery } from '../platform/query';
import type { FineTuningQuery, MetricsQuery } from '../types';

type TypedQuery = FineTuningQuery | PlatformQuery;
type QueryType = TypedQuery['queryType'];
type OptionsOf<Type extends QueryType> = Exclude<keyof Extract<TypedQuery, { queryType: Type }>, keyof DataQuery>;

/** The options that each type of query has. */
export const OPTIONS: { [Type in QueryType]: ReadonlyArray<OptionsOf<Type>> } = {
  fineTuningJobs: ['jobIds', 'statuses', 'models', 'onlyInRange', 'format'],
  fineTuningCheckpoints: ['jobIds', 'statuses', 'models'],
  fineTuningCurves: ['jobIds', 'statuses', 'models', 'metrics', 'xAxis'],
  fineTuningEvents: ['jobIds', 'statuses', 'models', 'levels'],
  trainingFiles: ['purposes'],
  fineTuningAnnotations: ['jobIds', 'statuses', 'models', 'show', 'draw'],
  capacities: ['productNames', 'locations', 'format', 'gpusNeeded'],
  platform: ['path', 'params', 'root', 'columns', 'maxPages', 'timeColumn', 'aggregate'],
};

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

const ALL_OPTIONS: readonly string[] = [...Object.keys(PROMQL_OPTIONS), ...Object.values(OPTIONS).flat()];

/**
 * A query without the options of PromQL and of other types, which Grafana's defaults for new queries and changes of type
 * leave in it. What nobody knows stays: it may be of a later version of the plugin.
 */
export function pickOwnFields<Query extends TypedQuery>(query: Query): Query {
  const own: readonly string[] = OPTIONS[query.queryType];
  return omit(
    query,
    ALL_OPTIONS.filter((option) => !own.includes(option))
  ) as Query;
}
