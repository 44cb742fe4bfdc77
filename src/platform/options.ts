import type { DataQuery } from '@grafana/schema';
import { omitLeftovers } from '../saved/leftovers';
import type { PlatformQuery, PlatformType } from './query';

type QueryOf<Type extends PlatformType> = Extract<PlatformQuery, { queryType: Type }>;
type OptionsOf<Type extends PlatformType> = Exclude<keyof QueryOf<Type>, keyof DataQuery>;

/** The options that each type of query has. */
const OPTIONS: { [Type in PlatformType]: ReadonlyArray<OptionsOf<Type>> } = {
  capacities: ['productNames', 'locations', 'format'],
  platform: ['path', 'params', 'root', 'columns', 'maxPages', 'timeColumn'],
};

const ALL_OPTIONS = Object.values(OPTIONS).flat();

/** The query without what other types, or Grafana's defaults for new queries, have left in it. */
export function withoutPlatformLeftovers<Query extends PlatformQuery>(query: Query): Query {
  return omitLeftovers(query, OPTIONS[query.queryType], ALL_OPTIONS);
}
