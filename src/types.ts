import type { DataQuery } from '@grafana/schema';
import type { PromOptions, PromQuery, PromVariableQuery } from '@grafana/prometheus';

/**
 * A PromQL query, in exactly the shape that Grafana's Prometheus data source saves. Its `queryType` is missing, empty
 * or `metrics`, so a panel made for Prometheus works here as it is, and the other way round.
 */
export type MetricsQuery = PromQuery;

/** Query types other than PromQL, which the backend answers. */
const BACKEND_QUERY_TYPES: ReadonlySet<string> = new Set([
  'fineTuningJobs',
  'fineTuningCheckpoints',
  'fineTuningCurves',
  'fineTuningEvents',
  'trainingFiles',
  'fineTuningAnnotations',
  'capacities',
  'platform',
]);

/** A query of any other type. Its `queryType` decides what else is in it, and the backend alone answers it. */
export interface BackendQuery extends DataQuery {
  queryType: string;
}

export type GpuCloudQuery = MetricsQuery | BackendQuery;

/**
 * True for PromQL. Queries of old Prometheus panels can carry a query type that meant something to the data source
 * that the panel had before (`randomWalk` is common): where there is an expression, such a type is ignored.
 */
export function isMetricsQuery(query: DataQuery): query is MetricsQuery {
  if (!query.queryType || query.queryType === 'metrics') {
    return true;
  }
  return !BACKEND_QUERY_TYPES.has(query.queryType) && 'expr' in query && Boolean(query.expr);
}

/** A dashboard variable's query, as Grafana's Prometheus data source saves it. */
export type GpuCloudVariableQuery = PromVariableQuery;

/**
 * Settings that are saved in the open. Besides those below, they have the names and meanings of Grafana's Prometheus
 * data source (`httpMethod`, `timeInterval`, `queryTimeout`, …) and of its HTTP settings (`tlsSkipVerify`, …).
 */
export interface GpuCloudOptions extends PromOptions {
  /** Address of the main API, such as `https://api.example.com`, without `/v1`. */
  baseUrl?: string;
  /** Project whose metrics are read. Provisioning may turn an unquoted id into a number or a boolean. */
  projectId?: string | number | boolean;
  /** Full base path of the metrics, for deployments that differ. Wins over `baseUrl` and `projectId`. */
  metricsUrl?: string;
  /** Seconds after which an HTTP request is given up. */
  timeout?: number;
  /** Megabytes (1024 × 1024 bytes) of the largest answer that is read, unpacked. 256 if it is not set. */
  maxResponseMegabytes?: number;
}

/** Settings that Grafana encrypts and never sends back to the browser. */
export interface GpuCloudSecrets {
  /** Bearer credential of the metrics. */
  monitoringToken?: string;
}
