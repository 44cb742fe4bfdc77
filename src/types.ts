import type { DataQuery } from '@grafana/schema';
import type { PromOptions, PromQuery } from '@grafana/prometheus';
import type { CapacitiesQuery } from './types/capacities/query';
import type { FineTuningAnnotationsQuery } from './types/jobAnnotations/query';
import type { FineTuningCheckpointsQuery } from './types/checkpoints/query';
import type { FineTuningCurvesQuery } from './types/curves/query';
import type { FineTuningEventsQuery } from './types/events/query';
import type { FineTuningJobsQuery } from './types/jobs/query';
import type { ListQuery } from './types/list/query';
import type { PlacementQuery } from './types/placement/query';
import type { RunAnnotationsQuery } from './types/runAnnotations/query';
import type { RunComparisonQuery } from './types/runComparison/query';
import type { RunsQuery } from './types/runs/query';
import type { TrainingFilesQuery } from './types/files/query';
import type { TrainingHealthQuery } from './types/trainingHealth/query';

/**
 * A PromQL query, in exactly the shape that Grafana's Prometheus data source saves. Its `queryType` is missing, empty
 * or `metrics`, so a panel made for Prometheus works here as it is, and the other way round.
 */
export interface MetricsQuery extends PromQuery {
  /** Bypasses the cache. False if it is missing. */
  noCache?: boolean;
  /** Adds a point at the end of the range where steps are longer than five minutes. False if it is missing. */
  untilEnd?: boolean;
}

/** A query that is not PromQL. Its `queryType` decides which options it has. */
export type TypedQuery =
  | FineTuningJobsQuery
  | FineTuningCheckpointsQuery
  | FineTuningCurvesQuery
  | FineTuningEventsQuery
  | TrainingFilesQuery
  | FineTuningAnnotationsQuery
  | RunComparisonQuery
  | RunsQuery
  | RunAnnotationsQuery
  | TrainingHealthQuery
  | CapacitiesQuery
  | PlacementQuery
  | ListQuery;

/** A query that this version of the plugin has no editor for. It runs as it is saved. */
export interface OtherQuery extends DataQuery {
  queryType: string;
}

export type GpuCloudQuery = MetricsQuery | TypedQuery | OtherQuery;

/** How results of PromQL queries are cached in the memory of Grafana's server. */
export interface CacheOptions {
  /** Caches results and requests only new samples. True if it is missing. */
  enabled?: boolean;
  /** The most megabytes (1024 × 1024 bytes) that results take. 64 if it is not set. */
  maxMegabytes?: number;
  /** How late samples arrive at most, such as `10m`: newer steps are requested again. `10m` if it is not set. */
  recentWindow?: string;
}

/** A Prometheus-compatible database that has the samples that the platform has deleted. */
export interface ArchiveOptions {
  /** Address of a Prometheus-compatible API, without `/api/v1`. */
  url?: string;
  /** How long the platform stores samples, such as `30d`. */
  retention?: string;
  /** Labels that the archive adds to each series. */
  dropLabels?: string[];
  /** User of basic authentication. */
  user?: string;
  /** Name of a header that is sent to the archive, such as `X-Scope-OrgID`. */
  headerName?: string;
}

/** What runs cost. Without prices, nothing has a cost. */
export interface PriceOptions {
  /** Price of a GPU for an hour, by model as the label `modelName` of GPU metrics has it. */
  gpuHour?: Record<string, number>;
  /** Price of a kilowatt-hour. */
  kilowattHour?: number;
  /** ISO 4217 code, such as `EUR`. `USD` if it is not set. */
  currency?: string;
}

/**
 * Settings that are saved unencrypted. Besides those below, they have the names and meanings of Grafana's Prometheus
 * data source (`httpMethod`, `timeInterval`, `queryTimeout`, …) and of its HTTP settings (`tlsSkipVerify`, …).
 */
export interface GpuCloudOptions extends PromOptions {
  /** Address of the main API, such as `https://api.example.com`, without `/v1`. */
  baseUrl?: string;
  /** Project whose metrics are read. Provisioning may turn an unquoted id into a number or a boolean. */
  projectId?: string | number | boolean;
  /** Full base path of the metrics, for deployments that differ. Wins over `baseUrl` and `projectId`. */
  metricsUrl?: string;
  /** Address of the tuning gateway, such as `https://intelligence.example.com`, without `/v1`. */
  intelligenceUrl?: string;
  /** Address of a job in the platform's web console, with the placeholders of `CONSOLE_PLACEHOLDERS`. */
  consoleUrl?: string;
  /** Names the key that requests to the main API are signed with. */
  accessKeyId?: string;
  /** Organization that stands for `{organizationId}` in the paths of lists. Like `projectId`, it may not be text. */
  organizationId?: string | number | boolean;
  /** Header for the time of a signed request. `X-Vendor-Timestamp` if it is not set. */
  timestampHeader?: string;
  /** Seconds after which an HTTP request is given up. */
  timeout?: number;
  /** How results of PromQL queries are cached. */
  cache?: CacheOptions;
  /** Requests to one service of the platform at a time. 32 if it is not set. */
  maxConcurrentRequests?: number;
  /** Megabytes (1024 × 1024 bytes) of the largest response that is read, uncompressed. 256 if it is not set. */
  maxResponseMegabytes?: number;
  /** Series of the largest PromQL result that is read. 100,000 if it is not set. */
  maxSeries?: number;
  /** Points, over all series, of the largest PromQL result that is read. 5,000,000 if it is not set. */
  maxPoints?: number;
  /** What runs cost. */
  prices?: PriceOptions;
  /** Where older samples are. */
  archive?: ArchiveOptions;
}

/** Settings that Grafana encrypts and never sends back to the browser. */
export interface GpuCloudSecrets {
  /** Bearer credential of the metrics. */
  monitoringToken?: string;
  /** Bearer credential of the tuning gateway. */
  inferenceApiKey?: string;
  /** Signs requests to the main API: raw URL-safe base64, without padding. */
  secretKey?: string;
  /** Bearer credential of the archive. */
  archiveToken?: string;
  /** Password of basic authentication at the archive. */
  archivePassword?: string;
  /** Value of the archive's header. */
  archiveHeader?: string;
  /** Certificate of the authority that signed the archive's, in PEM. */
  archiveTlsCaCert?: string;
}
