import { pick } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { QUERY_TYPES } from '../queryTypes';
import { pickCommonFields } from '../saved/ownFields';
import type { FineTuningType, QueryOf } from '../types';

/** Options that mean the same wherever they are, so they survive a change of type. */
const SHARED = ['jobIds', 'statuses', 'models'];

/** A query of another type that keeps the options of this one that fit. */
export function switchType<Type extends FineTuningType>(query: DataQuery, queryType: Type): QueryOf<Type> {
  const shared = SHARED.filter((option) => Object.hasOwn(QUERY_TYPES[queryType].options, option));
  return { ...pickCommonFields(query), ...pick(query, shared), queryType } as QueryOf<Type>;
}
