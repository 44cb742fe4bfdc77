import { get, pick, uniq } from 'lodash';
import type { QueryFilterOptions, ToggleFilterAction } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import { t } from '../i18n';
import { definitionOf, isTypedQuery, type QueryType } from '../queryTypes';
import type { Place } from '../types/definition';
import { JOB_FILTERS, type JobFilters } from '../types/jobFilters';
import { describeOptions, fillOptions, type OptionKind, type Templates } from '../types/options';
import { SERVICES } from '../services';
import type { GpuCloudQuery, TypedQuery } from '../types';
import { readQuery } from './readQuery';
import { pickCommonFields, pickOwnFields } from './ownFields';

/** A query of a type with dashboard variables filled in, as it is sent. One of an unknown type stays as it is. */
export function fillQuery(saved: GpuCloudQuery, templates: Templates): GpuCloudQuery {
  if (!isTypedQuery(saved)) {
    return saved;
  }
  const { options } = definitionOf(saved);
  const filled = fillOptions({ ...readQuery(saved) }, options, templates) as unknown as TypedQuery;
  // What has an effect may depend on a variable.
  return pickOwnFields(filled);
}

/** A query in a line, for query history and folded editors: `Fine-tuning · Jobs · timeline · failed, cancelled`. */
export function describeQuery(saved: GpuCloudQuery): string {
  if (!isTypedQuery(saved)) {
    return saved.queryType ?? '';
  }
  const { service, label, options } = definitionOf(saved);
  const names = [SERVICES[service].label, label].map((name) => t(name));
  return uniq([...names, ...describeOptions({ ...pickOwnFields(readQuery(saved)) }, options)]).join(' · ');
}

/** Whether nothing was entered yet of what a query is about. */
export const isBlank = (query: GpuCloudQuery): boolean =>
  isTypedQuery(query) && Boolean(definitionOf(query).isBlank?.(readQuery(query)));

/** Whether a query other than PromQL has PromQL in it, or is about runs that have. */
export const hasPromql = (query: GpuCloudQuery): boolean =>
  isTypedQuery(query) &&
  Object.entries<OptionKind>(definitionOf(query).options).some(
    ([option, kind]) => kind === 'source' || (['promql', 'runPromql'].includes(kind) && get(query, option))
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

/** Which values a query lets a column or a label of its result have, and the query that lets it have others. */
interface Filter {
  values: string[];
  to: (values: string[] | undefined) => TypedQuery;
}

/** The filter on a column or a label of a query's result; nothing where the query has no option for it. */
function filterOn(query: TypedQuery, key = ''): Filter | undefined {
  const saved = readQuery(query);
  const filter = (values: string[] = [], to: (values: string[] | undefined) => object): Filter => ({
    values,
    to: (changed) => ({ ...query, ...to(changed) }) as TypedQuery,
  });
  if (saved.queryType === 'platform') {
    const member = saved.columns?.find(({ name, selector }) => (name || selector) === key)?.selector ?? key;
    const on = saved.filterMember === member ? saved.filterValues : [];
    return filter(on, (values) => ({ filterMember: values && member, filterValues: values }));
  }
  const { options, ignored } = definitionOf(saved);
  const hasEffect = (name: string) => name in options && !(ignored?.(saved) as string[] | undefined)?.includes(name);
  // The status of an event is not that of its job now.
  const names = saved.queryType === 'fineTuningEvents' && key === 'status' ? [] : (FILTERS[key] ?? []);
  const option = names.find(hasEffect);
  if (option) {
    return filter((saved as unknown as Record<string, string[] | undefined>)[option], (values) => ({
      [option]: values,
    }));
  }
  // Runs that are jobs have the options of jobs in their source.
  const source = 'source' in saved && saved.source?.kind === 'fineTuning' ? saved.source : undefined;
  const ofJobs = names.find((name): name is keyof JobFilters => name in JOB_FILTERS);
  return source && ofJobs && filter(source[ofJobs], (values) => ({ source: { ...source, [ofJobs]: values } }));
}

/** Whether a query's result has one value of a column or a label only: Explore's "Filter for" is on. */
export const hasFilter = (query: GpuCloudQuery, { key, value }: QueryFilterOptions): boolean =>
  isTypedQuery(query) && Boolean(filterOn(query, key)?.values.includes(value));

/**
 * A query whose result has one value of a column or a label only, or all of them again. There are no options for what a result
 * doesn't have: to filter a value out is to take it from those that it may have.
 */
export function toggleFilter(
  query: GpuCloudQuery,
  { type, options: { key, value } }: ToggleFilterAction
): GpuCloudQuery {
  const filter = isTypedQuery(query) ? filterOn(query, key) : undefined;
  if (filter?.values.includes(value)) {
    const others = type === 'FILTER_OUT' ? filter.values.filter((one) => one !== value) : [];
    return filter.to(others.length > 0 ? others : undefined);
  }
  return filter && type === 'FILTER_FOR' ? filter.to([value]) : query;
}

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
    ...(left ?? blank?.(place)),
    ...pick(from, shared),
    ...pickCommonFields(from),
    queryType,
  } as TypedQuery;
}
