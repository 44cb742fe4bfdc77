import { CoreApp } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import type { PlatformQuery } from './platform/query';
import type { RunQuery } from './runs/query';
import type { TrainingHealthQuery } from './training/query';
import type { FineTuningQuery, MetricsQuery } from './types';

/** A query that is not PromQL. */
export type TypedQuery = FineTuningQuery | RunQuery | TrainingHealthQuery | PlatformQuery;
type QueryType = TypedQuery['queryType'];
type Of<Type extends QueryType> = Extract<TypedQuery, { queryType: Type }>;

/** How an option is saved, which decides how it is read and how variables are filled into it. */
export type OptionKind = 'list' | 'text' | 'number' | 'switch' | 'columns' | 'parameters' | 'source' | 'measures';

/** What a query goes to. PromQL goes to the metrics. */
export type QueryService = 'metrics' | 'fineTuning' | 'runs' | 'training' | 'platform';

interface Definition<Type extends QueryType> {
  service: Exclude<QueryService, 'metrics'>;
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

const CHOSEN_RUNS = { source: 'source', runs: 'list' } as const;
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
  runComparison: {
    service: 'runs',
    label: 'Curves',
    options: {
      ...CHOSEN_RUNS,
      selector: 'text',
      expr: 'text',
      metric: 'text',
      stepExpr: 'text',
      axis: 'text',
      baseline: 'text',
      difference: 'switch',
      format: 'text',
      threshold: 'text',
      maxRuns: 'number',
    },
    inPanels: true,
    inAlerts: false,
  },
  runs: {
    service: 'runs',
    label: 'Measures',
    options: {
      ...CHOSEN_RUNS,
      selector: 'text',
      measures: 'list',
      custom: 'measures',
      baseline: 'text',
      format: 'text',
    },
    inPanels: true,
    inAlerts: true,
    alertFormat: 'number',
  },
  runAnnotations: {
    service: 'runs',
    label: 'Annotations',
    options: { ...CHOSEN_RUNS, axis: 'text', show: 'list' },
    inPanels: false,
    inAlerts: false,
  },
  trainingHealth: {
    service: 'training',
    label: 'Training health',
    options: { ...JOB_FILTERS, expr: 'text', metrics: 'list', findings: 'list', format: 'text' },
    inPanels: true,
    inAlerts: true,
    alertFormat: 'number',
  },
  capacities: {
    service: 'platform',
    label: 'Capacities',
    options: { productNames: 'list', locations: 'list', format: 'text', gpusNeeded: 'text' },
    inPanels: true,
    inAlerts: true,
    alertFormat: 'number',
  },
  placement: {
    service: 'platform',
    label: 'Placement',
    options: { gpus: 'text', types: 'list', locations: 'list', format: 'text' },
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

/** Whether a query selects jobs. Files have none. */
export const selectsJobs = ({ queryType }: TypedQuery): boolean => 'jobIds' in QUERY_TYPES[queryType].options;

/** Whether an editor is that of an alert rule. */
export const isAlerting = (app: CoreApp | undefined): boolean =>
  app === CoreApp.UnifiedAlerting || app === CoreApp.CloudAlerting;

/** The types of a service that an editor offers. The one that a query has is last if it is not among them. */
export function typesOffered<Query extends TypedQuery>(
  { queryType }: Query,
  app: CoreApp | undefined
): Array<Query['queryType']> {
  const { service } = QUERY_TYPES[queryType];
  const offered = (Object.keys(QUERY_TYPES) as QueryType[]).filter((type) => {
    const { inAlerts, inPanels, service: of } = QUERY_TYPES[type];
    return of === service && (isAlerting(app) ? inAlerts : inPanels);
  });
  return offered.includes(queryType) ? offered : [...offered, queryType];
}

/** A new query as an alert rule needs it. */
export function withAlertFormat<Query extends TypedQuery>(app: CoreApp | undefined, query: Query): Query {
  const { alertFormat } = QUERY_TYPES[query.queryType];
  return isAlerting(app) && alertFormat ? { ...query, format: alertFormat } : query;
}

/**
 * What a query goes to, if this version of the plugin knows it. Queries of old Prometheus panels can carry a query type
 * that meant something to the data source that the panel had before (`randomWalk` is common): where there is an
 * expression, such a type is ignored.
 */
export function serviceOf(query: DataQuery): QueryService | undefined {
  const { queryType } = query;
  if (!queryType || queryType === 'metrics') {
    return 'metrics';
  }
  if (Object.hasOwn(QUERY_TYPES, queryType)) {
    return QUERY_TYPES[queryType as QueryType].service;
  }
  return 'expr' in query && query.expr ? 'metrics' : undefined;
}

/** True for PromQL. */
export const isMetricsQuery = (query: DataQuery): query is MetricsQuery => serviceOf(query) === 'metrics';

export const isFineTuningQuery = (query: DataQuery): query is FineTuningQuery => serviceOf(query) === 'fineTuning';

export const isRunQuery = (query: DataQuery): query is RunQuery => serviceOf(query) === 'runs';

export const isTrainingQuery = (query: DataQuery): query is TrainingHealthQuery => serviceOf(query) === 'training';

/** True for a query of the signed main API. */
export const isPlatformQuery = (query: DataQuery): query is PlatformQuery => serviceOf(query) === 'platform';
