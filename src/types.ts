import type { DataQuery } from '@grafana/schema';
import type { PromOptions, PromQuery, PromVariableQuery } from '@grafana/prometheus';
import type { PlatformQuery, PlatformVariableQuery } from './platform/query';
import type { RunQuery, RunVariableQuery } from './runs/query';
import type { TrainingHealthQuery } from './training/query';

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

/** Which jobs a query is about. In each list, no entry means all. Every entry may be a dashboard variable. */
export interface JobFilters {
  jobIds?: string[];
  statuses?: string[];
  models?: string[];
}

/**
 * One row per job; how each job ended, the best first; the state of each job over time; how many jobs have a status; or the seconds a
 * job is past its estimate.
 */
export type JobsFormat = 'table' | 'results' | 'timeline' | 'count' | 'countByJob' | 'overdue';

export interface FineTuningJobsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningJobs';
  /** Leaves out jobs that were not active within the time range. True if it is missing. */
  onlyInRange?: boolean;
  /** `table` if it is missing. */
  format?: JobsFormat;
}

/** One row per checkpoint. */
export interface FineTuningCheckpointsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningCheckpoints';
}

export type CurveAxis = 'time' | 'step';

/** Losses and other training metrics. */
export interface FineTuningCurvesQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningCurves';
  /** Names of metrics, such as `train_loss`. All if it is missing. */
  metrics?: string[];
  /** `time` if it is missing. */
  xAxis?: CurveAxis;
}

/** What jobs reported, as log lines. */
export interface FineTuningEventsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningEvents';
  levels?: string[];
}

/** One row per file. */
export interface TrainingFilesQuery extends DataQuery {
  queryType: 'trainingFiles';
  purposes?: string[];
}

export type Drawn = 'jobs' | 'statusChanges' | 'checkpoints';

/**
 * How annotations draw jobs: as points at the start and the end, as regions, or as regions where few overlap and as points
 * elsewhere, without what would cover a panel.
 */
export type JobsDrawing = 'automatic' | 'points' | 'regions';

/** What happened to jobs, to be drawn over panels. */
export interface FineTuningAnnotationsQuery extends DataQuery, JobFilters {
  queryType: 'fineTuningAnnotations';
  /** Jobs and checkpoints if it is missing. */
  show?: Drawn[];
  /** `automatic` if it is missing. */
  draw?: JobsDrawing;
}

/** A query about fine-tuning. Its `queryType` decides which options it has. */
export type FineTuningQuery =
  | FineTuningJobsQuery
  | FineTuningCheckpointsQuery
  | FineTuningCurvesQuery
  | FineTuningEventsQuery
  | TrainingFilesQuery
  | FineTuningAnnotationsQuery;

export type FineTuningType = FineTuningQuery['queryType'];

/** The query of one type. */
export type QueryOf<Type extends FineTuningType> = Extract<FineTuningQuery, { queryType: Type }>;

/** A query that this version of the plugin has no editor for. It runs as it is saved. */
export interface OtherQuery extends DataQuery {
  queryType: string;
}

export type GpuCloudQuery =
  MetricsQuery | FineTuningQuery | RunQuery | TrainingHealthQuery | PlatformQuery | OtherQuery;

/** A PromQL variable's query, as Grafana's Prometheus data source saves it. */
export type MetricsVariableQuery = PromVariableQuery;

/** A variable whose values are jobs' ids, shown with their names. */
export interface JobsVariableQuery extends DataQuery, Pick<JobFilters, 'statuses' | 'models'> {
  queryType: 'fineTuningJobs';
}

/** A variable whose values are models that jobs were started from. */
export interface ModelsVariableQuery extends DataQuery {
  queryType: 'fineTuningModels';
}

/** A variable whose values are the statuses of jobs. */
export interface StatusesVariableQuery extends DataQuery {
  queryType: 'fineTuningStatuses';
}

/** A variable whose values are the ids of jobs' checkpoints. */
export interface CheckpointsVariableQuery extends DataQuery, Pick<JobFilters, 'jobIds'> {
  queryType: 'fineTuningCheckpoints';
}

export type FineTuningVariableQuery =
  JobsVariableQuery | ModelsVariableQuery | StatusesVariableQuery | CheckpointsVariableQuery;

/** A dashboard variable's query. */
export type GpuCloudVariableQuery =
  MetricsVariableQuery | FineTuningVariableQuery | RunVariableQuery | PlatformVariableQuery;

const VARIABLE_TYPES: Record<FineTuningVariableQuery['queryType'], true> = {
  fineTuningJobs: true,
  fineTuningModels: true,
  fineTuningStatuses: true,
  fineTuningCheckpoints: true,
};

export function isFineTuningVariable(query: GpuCloudVariableQuery): query is FineTuningVariableQuery {
  return query.queryType !== undefined && Object.hasOwn(VARIABLE_TYPES, query.queryType);
}

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
  /** Host name in the archive's certificate, where it isn't that of the address. */
  serverName?: string;
  /** Accepts any certificate of the archive. */
  tlsSkipVerify?: boolean;
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
  /** Certificates of TLS with the archive, in PEM. */
  archiveTlsCaCert?: string;
  archiveTlsClientCert?: string;
  archiveTlsClientKey?: string;
}
