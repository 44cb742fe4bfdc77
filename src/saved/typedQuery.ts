import { pick } from 'lodash';
import type { QueryFixAction } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import { definitionOf, isTypedQuery, type QueryType } from '../queryTypes';
import type { Place } from '../types/definition';
import { describeOptions, fillOptions, type OptionKind, type Templates } from '../types/options';
import type { GpuCloudQuery, TypedQuery } from '../types';
import { migrateQuery } from './migrateQuery';
import { pickCommonFields, pickOwnFields } from './ownFields';

/** A query of a type with dashboard variables filled in, as it is sent. One of an unknown type stays as it is. */
export function fillQuery(saved: GpuCloudQuery, templates: Templates): GpuCloudQuery {
  if (!isTypedQuery(saved)) {
    return saved;
  }
  const { options } = definitionOf(saved);
  const filled = fillOptions({ ...migrateQuery(saved) }, options, templates) as unknown as TypedQuery;
  // What has an effect may depend on a variable.
  return pickOwnFields(filled);
}

/** A query in a line, for query history and folded editors: `Fine-tuning jobs · timeline · failed, cancelled`. */
export function describeQuery(saved: GpuCloudQuery): string {
  if (!isTypedQuery(saved)) {
    return saved.queryType ?? '';
  }
  const { title, label, options } = definitionOf(saved);
  return [title ?? label, ...describeOptions({ ...pickOwnFields(migrateQuery(saved)) }, options)].join(' · ');
}

/** Whether nothing was entered yet of what a query is about. */
export const isBlank = (query: GpuCloudQuery): boolean =>
  isTypedQuery(query) && Boolean(definitionOf(query).isBlank?.(migrateQuery(query)));

/** Whether a query other than PromQL has PromQL in it, or is about runs that have. */
export const hasPromql = (query: GpuCloudQuery): boolean =>
  isTypedQuery(query) &&
  Object.values<OptionKind>(definitionOf(query).options).some((kind) =>
    ['promql', 'runPromql', 'source'].includes(kind)
  );

/** The options that select what a column or a label of a result has. */
const FILTERS: Record<string, string[] | undefined> = {
  job_id: ['jobIds'],
  job: ['jobIds'],
  run_id: ['runs'],
  status: ['statuses'],
  model: ['models'],
  metric: ['metrics'],
  level: ['levels'],
  location: ['locations'],
  type: ['productNames', 'types'],
};

/** A query whose result has one value only: Explore's "Filter for". Without an option for it, the query stays as it is. */
export function filterFor(query: GpuCloudQuery, { type, options }: QueryFixAction): GpuCloudQuery {
  if (type !== 'ADD_FILTER' || !isTypedQuery(query)) {
    return query;
  }
  const own = definitionOf(query).options;
  const filters = FILTERS[options?.key ?? ''] ?? [];
  const option = filters.find((name) => name in own);
  if (option) {
    return { ...query, [option]: [options?.value] };
  }
  // Runs that are jobs have the options of jobs in their source.
  const read = migrateQuery(query);
  const ofJobs =
    'source' in read && read.source?.kind === 'fineTuning' && filters.find((name) => JOB_OPTIONS.includes(name));
  return ofJobs ? ({ ...query, source: { ...read.source, [ofJobs]: [options?.value] } } as TypedQuery) : query;
}

const JOB_OPTIONS = ['statuses', 'models', 'jobIds'];

/** Options that mean the same in all types that have them, so they survive a change of type. */
const SHARED = ['jobIds', 'statuses', 'models', 'source', 'runs', 'selector', 'baseline', 'locations'];

/**
 * A query of another type in the place of one: what was written when it was left, or a new one, with the options of this one
 * that mean the same.
 */
export function switchType(from: DataQuery, queryType: QueryType, place: Place, left?: GpuCloudQuery): TypedQuery {
  const { options, blank } = definitionOf({ queryType });
  const had = isTypedQuery(from) ? definitionOf(from).options : {};
  const shared = SHARED.filter((option) => option in options && option in had);
  return {
    ...(left ?? blank(place)),
    ...pick(from, shared),
    ...pickCommonFields(from),
    queryType,
  } as TypedQuery;
}
