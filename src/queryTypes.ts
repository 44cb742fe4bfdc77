import type { CoreApp } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import type { QueryService } from './services';
import type { MetricsQuery, TypedQuery } from './types';
import { capacities } from './types/capacities/definition';
import { checkpoints } from './types/checkpoints/definition';
import { curves } from './types/curves/definition';
import { isAlerting, type Definition } from './types/definition';
import { events } from './types/events/definition';
import { files } from './types/files/definition';
import { jobAnnotations } from './types/jobAnnotations/definition';
import { jobs } from './types/jobs/definition';
import { list } from './types/list/definition';
import { placement } from './types/placement/definition';
import { runAnnotations } from './types/runAnnotations/definition';
import { runComparison } from './types/runComparison/definition';
import { runs } from './types/runs/definition';
import { trainingHealth } from './types/trainingHealth/definition';

export type QueryType = TypedQuery['queryType'];

/**
 * Every query type but PromQL, in the order of the editor's choices. A new one is a line here and a folder in `types`; in the
 * backend, a handler (`pkg/jobs/query.go`, `pkg/mainapi`).
 */
export const QUERY_TYPES: { [Type in QueryType]: Definition<Extract<TypedQuery, { queryType: Type }>> } = {
  fineTuningJobs: jobs,
  fineTuningCheckpoints: checkpoints,
  fineTuningCurves: curves,
  fineTuningEvents: events,
  trainingFiles: files,
  fineTuningAnnotations: jobAnnotations,
  runComparison,
  runs,
  runAnnotations,
  trainingHealth,
  capacities,
  placement,
  platform: list,
};

/** The definition of a query's type, which TypeScript can't follow through a variable. */
export const definitionOf = <Query extends TypedQuery>({ queryType }: Pick<Query, 'queryType'>): Definition<Query> =>
  QUERY_TYPES[queryType] as unknown as Definition<Query>;

/** The types of a service that an editor offers. */
export function typesOffered(service: QueryService, app: CoreApp | undefined): QueryType[] {
  return (Object.keys(QUERY_TYPES) as QueryType[]).filter((type) => {
    const { inAlerts = false, inPanels = true, service: of } = QUERY_TYPES[type];
    return of === service && (isAlerting(app) ? inAlerts : inPanels);
  });
}

/** True for a query of a type that this version of the plugin knows. */
export const isTypedQuery = (query: DataQuery): query is TypedQuery =>
  query.queryType !== undefined && Object.hasOwn(QUERY_TYPES, query.queryType);

/**
 * True for PromQL. Queries of old Prometheus panels can carry a query type that meant something to the data source that the
 * panel had before (`randomWalk` is common): where there is an expression, such a type is ignored.
 */
export const isMetricsQuery = (query: DataQuery): query is MetricsQuery =>
  !query.queryType || query.queryType === 'metrics' || (!isTypedQuery(query) && 'expr' in query && Boolean(query.expr));

/** What a query goes to, if this version of the plugin knows it. */
export function serviceOf(query: DataQuery): QueryService | undefined {
  if (isTypedQuery(query)) {
    return QUERY_TYPES[query.queryType].service;
  }
  return isMetricsQuery(query) ? 'metrics' : undefined;
}
