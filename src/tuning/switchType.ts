import { pick } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { OPTIONS } from '../saved/ownFields';
import type { FineTuningType, QueryOf } from '../types';

/** What every query has, whatever its type. */
const COMMON = ['refId', 'datasource', 'hide', 'key'];

/** Options that mean the same wherever they are, so they survive a change of type. */
const SHARED = ['jobIds', 'statuses', 'models'];

/** A query of another type that keeps the options of this one that fit. */
export function switchType<Type extends FineTuningType>(query: DataQuery, queryType: Type): QueryOf<Type> {
  const options: readonly string[] = OPTIONS[queryType];
  const kept = SHARED.filter((option) => options.includes(option));
  return { ...pick(query, [...COMMON, ...kept]), queryType } as QueryOf<Type>;
}
