import { CoreApp } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import type { PlatformQuery } from './platform/query';
import type { FineTuningQuery, MetricsQuery } from './types';

/** A query that is not PromQL. */
export type TypedQuery = FineTuningQuery | PlatformQuery;
export type QueryType = TypedQuery['queryType'];
type Of<Type extends QueryType> = Extract<TypedQuery, { queryType: Type }>;

/** How an option is saved, which decides how it is read and how variables are filled into it. */
export type OptionKind = 'list' | 'text' | 'number' | 'switch' | 'columns' | 'parameters';

interface Definition<Type extends QueryType> {
  service: 'fineTuning' | 'platform';
  /** Its name in the editor. */
  label: string;
  /** What it has besides what every query of Grafana has. */
  options: Record<Exclude<keyof Of<Type>, keyof DataQuery>, OptionKind>;
  /** Whether editors of panels, and those of alert rules, which need numbers, offer it. */
  inPanels: boolean;
  inAlerts: boolean;
  /** The format that an alert rule starts with, where the usual one is no number. */
  alertFormat?: Of<Type> extends { format?: infer Format } ? Format : never;
}

const JOB_FILTERS = { jobIds: 'list', statuses: 'list', models: 'list' } as const;

/**
 * Every query type but PromQL, in the order of the editor's choices. A new one is an entry here, its type, and its fields
 * (`src/query`); in the backend, a handler (`pkg/tuning/query.go`, `pkg/platform`).
 */
export const QUERY_TYPES: { [Type in QueryType]: Definition<Type> } = {
  fineTuningJobs: {
    service: 'fineTuning',
    label: 'Jobs',
    options: { ...JOB_FILTERS, onlyInRange: 'switch', format: 'text' },
    inPanels: true,
    inAlerts: true,
    alertFormat: 'count',
  },
  fineTuningCheckpoints: {
    service: 'fineTuning',
    label: 'Checkpoints',
    options: JOB_FILTERS,
    inPanels: true,
    inAlerts: false,
  },
  fineTuningCurves: {
    service: 'fineTuning',
    label: 'Curves',
    options: { ...JOB_FILTERS, metrics: 'list', xAxis: 'text' },
    inPanels: true,
    inAlerts: true,
  },
  fineTuningEvents: {
    service: 'fineTuning',
    label: 'Events',
    options: { ...JOB_FILTERS, levels: 'list' },
    inPanels: true,
    inAlerts: false,
  },
  trainingFiles: {
    service: 'fineTuning',
    label: 'Training files',
    options: { purposes: 'list' },
    inPanels: true,
    inAlerts: false,
  },
  // Annotations belong over panels, in a dashboard's settings.
  fineTuningAnnotations: {
    service: 'fineTuning',
    label: 'Annotations',
    options: { ...JOB_FILTERS, show: 'list', draw: 'text' },
    inPanels: false,
    inAlerts: false,
  },
  capacities: {
    service: 'platform',
    label: 'Capacities',
    options: { productNames: 'list', locations: 'list', format: 'text', gpusNeeded: 'text' },
    inPanels: true,
    inAlerts: true,
    alertFormat: 'number',
  },
  platform: {
    service: 'platform',
    label: 'API list',
    options: {
      path: 'text',
      params: 'parameters',
      root: 'text',
      columns: 'columns',
      maxPages: 'number',
      timeColumn: 'text',
      aggregate: 'text',
    },
    inPanels: true,
    inAlerts: true,
  },
};

/** Whether an editor is that of an alert rule. */
export const isAlerting = (app: CoreApp | undefined): boolean =>
  app === CoreApp.UnifiedAlerting || app === CoreApp.CloudAlerting;

/** The types of a service that an editor offers, and the one that a query has. */
export function typesOffered<Query extends TypedQuery>(
  current: Query,
  app: CoreApp | undefined
): Array<Query['queryType']> {
  const { service } = QUERY_TYPES[current.queryType];
  return (Object.keys(QUERY_TYPES) as QueryType[]).filter((type) => {
    const { inAlerts, inPanels, service: of } = QUERY_TYPES[type];
    return of === service && (type === current.queryType || (isAlerting(app) ? inAlerts : inPanels));
  });
}

/** A new query as an alert rule needs it. */
export function withAlertFormat<Query extends TypedQuery>(app: CoreApp | undefined, query: Query): Query {
  const { alertFormat } = QUERY_TYPES[query.queryType];
  return isAlerting(app) && alertFormat ? { ...query, format: alertFormat } : query;
}

const isOf = (service: 'fineTuning' | 'platform', { queryType }: DataQuery): boolean =>
  queryType !== undefined &&
  Object.hasOwn(QUERY_TYPES, queryType) &&
  QUERY_TYPES[queryType as QueryType].service === service;

export const isFineTuningQuery = (query: DataQuery): query is FineTuningQuery => isOf('fineTuning', query);

/** True for a query of the signed main API. */
export const isPlatformQuery = (query: DataQuery): query is PlatformQuery => isOf('platform', query);

/**
 * True for PromQL. Queries of old Prometheus panels can carry a query type that meant something to the data source
 * that the panel had before (`randomWalk` is common): where there is an expression, such a type is ignored.
 */
export function isMetricsQuery(query: DataQuery): query is MetricsQuery {
  if (!query.queryType || query.queryType === 'metrics') {
    return true;
  }
  const isKnown = isFineTuningQuery(query) || isPlatformQuery(query);
  return !isKnown && 'expr' in query && Boolean(query.expr);
}
