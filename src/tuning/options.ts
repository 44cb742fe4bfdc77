import { pick } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { omitLeftovers } from '../saved/leftovers';
import type { FineTuningQuery, FineTuningType, QueryOf } from '../types';

type OptionsOf<Type extends FineTuningType> = Exclude<keyof QueryOf<Type>, keyof DataQuery>;

/** The options that each type of query has. */
const OPTIONS: { [Type in FineTuningType]: ReadonlyArray<OptionsOf<Type>> } = {
  fineTuningJobs: ['jobIds', 'statuses', 'models', 'onlyInRange', 'format'],
  fineTuningCheckpoints: ['jobIds', 'statuses', 'models'],
  fineTuningCurves: ['jobIds', 'metrics', 'xAxis'],
  fineTuningEvents: ['jobIds', 'levels'],
  trainingFiles: ['purposes'],
  fineTuningAnnotations: ['jobIds', 'statuses', 'models', 'show'],
};

const ALL_OPTIONS = Object.values(OPTIONS).flat();

/** What every query has, whatever its type. */
const COMMON = ['refId', 'datasource', 'hide', 'key'];

/** Options that mean the same wherever they are, so they survive a change of type. */
const SHARED = ['jobIds', 'statuses', 'models'];

/** The query without what other types, or Grafana's defaults for new queries, have left in it. */
export function withoutLeftovers<Query extends FineTuningQuery>(query: Query): Query {
  return omitLeftovers(query, OPTIONS[query.queryType], ALL_OPTIONS);
}

/** A query of another type that keeps the options of this one that fit. */
export function switchType<Type extends FineTuningType>(query: DataQuery, queryType: Type): QueryOf<Type> {
  const options: readonly string[] = OPTIONS[queryType];
  const kept = SHARED.filter((option) => options.includes(option));
  return { ...pick(query, [...COMMON, ...kept]), queryType } as QueryOf<Type>;
}
