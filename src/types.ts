import type { DataQuery } from '@grafana/schema';
import type { PromOptions, PromQuery, PromVariableQuery } from '@grafana/prometheus';

/**
 * A PromQL query, in exactly the shape that Grafana's Prometheus data source saves. Its `queryType` is missing, empty
 * or `metrics`, so a panel made for Prometheus works here as it is, and the other way round.
 */
export type MetricsQuery = PromQuery;

/** A query of any other type. Its `queryType` decides what else is in it, and the backend alone answers it. */
export interface BackendQuery extends DataQuery {
  queryType: string;
}

export type GpuCloudQuery = MetricsQuery | BackendQuery;

export function isMetricsQuery(query: DataQuery): query is MetricsQuery {
  return !query.queryType || query.queryType === 'metrics';
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
}

/** Settings that Grafana encrypts and never sends back to the browser. */
export interface GpuCloudSecrets {
  /** Bearer credential of the metrics. */
  monitoringToken?: string;
}
