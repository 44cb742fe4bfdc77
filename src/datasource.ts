import { pick } from 'lodash';
import { combineLatest, map, of, type Observable } from 'rxjs';
import {
  type CoreApp,
  type AbstractQuery,
  type AdHocVariableFilter,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceApi,
  type DataSourceGetTagKeysOptions,
  type DataSourceGetTagValuesOptions,
  type DataSourceInstanceSettings,
  type DataSourceWithQueryExportSupport,
  type LegacyMetricFindQueryOptions,
  type MetricFindValue,
  type QueryFixAction,
  type QueryHint,
  type ScopedVars,
  type TestDataSourceResponse,
} from '@grafana/data';
import {
  config,
  DataSourceWithBackend,
  getTemplateSrv,
  isExpressionReference,
  type TemplateSrv,
} from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';
import { testServices } from './config/healthResult';
import { annotationSupport } from './annotations/annotationSupport';
import type { GpuCloud } from './GpuCloud';
import { exportQueries } from './metrics/exportQueries';
import { importQueries } from './metrics/importQueries';
import { MetricsDataSource } from './metrics/MetricsDataSource';
import { mergeResponses, transformPublicFrames } from './metrics/responses';
import { CapacityLists } from './platform/CapacityLists';
import { describePlatform } from './platform/describe';
import { interpolatePlatform } from './platform/interpolate';
import { pathIds, type PathIds } from './platform/path';
import { migrateQuery } from './saved/migrateQuery';
import { describe } from './tuning/describe';
import { Gateway } from './tuning/Gateway';
import { interpolate } from './tuning/interpolate';
import type { FineTuningQuery, GpuCloudOptions, GpuCloudQuery, JobFilters } from './types';
import { VariableSupport } from './variables/VariableSupport';
import { isFineTuningQuery, isMetricsQuery, isPlatformQuery } from './queryTypes';

/**
 * The data source. It splits queries by type: PromQL is Grafana's Prometheus data source's business (`metrics`),
 * everything else goes to the plugin's backend as it is.
 *
 * It holds the Prometheus data source instead of extending it, because that class takes every query for PromQL and
 * because extending it would bring `importFromAbstractQueries` along: where Grafana finds that method, it reduces
 * the queries of a panel that is switched over to their label matchers.
 */
export class DataSource
  extends DataSourceWithBackend<GpuCloudQuery, GpuCloudOptions>
  implements GpuCloud, DataSourceWithQueryExportSupport<GpuCloudQuery>
{
  readonly metrics: MetricsDataSource;
  readonly gateway: Gateway;
  readonly capacities: CapacityLists;
  /** Which ids the settings have for the paths of lists. */
  readonly pathIds: PathIds;
  /** The settings that aren't secret. */
  readonly options: GpuCloudOptions;

  constructor(
    settings: DataSourceInstanceSettings<GpuCloudOptions>,
    private readonly templateSrv: TemplateSrv = getTemplateSrv()
  ) {
    super(settings);
    this.metrics = new MetricsDataSource(settings, templateSrv);
    this.interval = this.metrics.interval;
    this.languageProvider = this.metrics.languageProvider;
    this.gateway = new Gateway(this);
    this.capacities = new CapacityLists(this);
    this.options = settings.jsonData;
    this.pathIds = pathIds(settings.jsonData);
    this.annotations = annotationSupport(this.metrics, Boolean(settings.jsonData.intelligenceUrl));
    this.variables = new VariableSupport(this, templateSrv);
  }

  query(request: DataQueryRequest<GpuCloudQuery>): Observable<DataQueryResponse> {
    const metricsIn = (queries: GpuCloudQuery[]) => ({ ...request, targets: queries.filter(isMetricsQuery) });
    if (config.publicDashboardAccessToken) {
      // A public dashboard sends no queries: the server runs all of the panel's at once, whatever is requested.
      return super.query(request).pipe(map((response) => transformPublicFrames(response, metricsIn(request.targets))));
    }
    // Grafana filters the queries of a panel, but not those of a mixed one.
    const targets = request.targets.filter(
      (query) => isExpressionReference(query.datasource) || this.filterQuery(query)
    );
    const metrics = metricsIn(targets);
    const others = { ...request, targets: targets.filter((query) => !isMetricsQuery(query)) };

    if (targets.length === 0) {
      return of({ data: [] });
    }
    if (others.targets.length === 0) {
      return this.metrics.query(metrics);
    }
    if (metrics.targets.length === 0) {
      return super.query(others);
    }
    return combineLatest([
      this.metrics.query(metrics),
      // A request id of its own, because Grafana cancels a running request when another comes with the same id.
      super.query({ ...others, requestId: request.requestId && `${request.requestId}-backend` }),
    ]).pipe(map(([left, right]) => mergeResponses(left, right)));
  }

  filterQuery(query: GpuCloudQuery): boolean {
    if (isMetricsQuery(query)) {
      return this.metrics.filterQuery(query);
    }
    const isBlank = isPlatformQuery(query) && query.queryType === 'platform' && !query.path;
    return !query.hide && !isBlank;
  }

  testDatasource(): Promise<TestDataSourceResponse> {
    return testServices(this.uid, () => this.callHealthCheck());
  }

  getDefaultQuery(app: CoreApp): Partial<GpuCloudQuery> {
    return this.metrics.getDefaultQuery(app);
  }

  getQueryDisplayText(saved: GpuCloudQuery): string {
    const query = migrateQuery(saved);
    if (isMetricsQuery(query)) {
      return this.metrics.getQueryDisplayText(query);
    }
    if (isPlatformQuery(query)) {
      return describePlatform(query);
    }
    return isFineTuningQuery(query) ? describe(query) : query.queryType;
  }

  targetContainsTemplate(query: GpuCloudQuery): boolean {
    return isMetricsQuery(query)
      ? this.metrics.targetContainsTemplate(query)
      : this.templateSrv.containsTemplate(JSON.stringify(query));
  }

  applyTemplateVariables(saved: GpuCloudQuery, scopedVars: ScopedVars, filters?: AdHocVariableFilter[]): GpuCloudQuery {
    const query = migrateQuery(saved);
    if (isMetricsQuery(query)) {
      return this.metrics.applyTemplateVariables(query, scopedVars, filters);
    }
    if (isPlatformQuery(query)) {
      return interpolatePlatform(query, this.templateSrv, scopedVars);
    }
    return isFineTuningQuery(query) ? interpolate(query, this.templateSrv, scopedVars) : query;
  }

  /** Which jobs a query is about, with the dashboard's variables filled in. */
  interpolateFilters(query: FineTuningQuery, scopedVars: ScopedVars): JobFilters {
    return pick(interpolate(query, this.templateSrv, scopedVars), ['jobIds', 'statuses', 'models']) as JobFilters;
  }

  interpolateVariablesInQueries(
    queries: GpuCloudQuery[],
    scopedVars: ScopedVars,
    filters?: AdHocVariableFilter[]
  ): GpuCloudQuery[] {
    return queries.flatMap((query): GpuCloudQuery[] =>
      isMetricsQuery(query)
        ? this.metrics.interpolateVariablesInQueries([query], scopedVars, filters)
        : [{ ...this.applyTemplateVariables(query, scopedVars), datasource: this.getRef() }]
    );
  }

  getQueryHints(query: GpuCloudQuery, result: unknown[]): QueryHint[] {
    return isMetricsQuery(query) ? this.metrics.getQueryHints(query, result) : [];
  }

  modifyQuery(query: GpuCloudQuery, action: QueryFixAction): GpuCloudQuery {
    return isMetricsQuery(query) ? this.metrics.modifyQuery(query, action) : query;
  }

  metricFindQuery(query: string, options?: LegacyMetricFindQueryOptions): Promise<MetricFindValue[]> {
    return this.metrics.metricFindQuery(query, options);
  }

  getTagKeys(options: DataSourceGetTagKeysOptions<GpuCloudQuery>): Promise<MetricFindValue[]> {
    return this.metrics.getTagKeys({ ...options, queries: options.queries?.filter(isMetricsQuery) });
  }

  getTagValues(options: DataSourceGetTagValuesOptions<GpuCloudQuery>): Promise<MetricFindValue[]> {
    return this.metrics.getTagValues({ ...options, queries: options.queries?.filter(isMetricsQuery) });
  }

  getGroupByKeys(options: DataSourceGetTagKeysOptions<GpuCloudQuery>): Promise<MetricFindValue[]> {
    return this.getTagKeys(options);
  }

  /**
   * Takes over the queries of a panel that is switched to this data source. Prometheus queries stay as they are; of
   * others, such as Loki's, the label matchers are used.
   */
  importQueries(queries: DataQuery[], origin: DataSourceApi): Promise<GpuCloudQuery[]> {
    return importQueries(queries, origin, this.metrics);
  }

  /** Hands queries over to another type of data source: whole to Prometheus, as label matchers to others. */
  exportToAbstractQueries(queries: GpuCloudQuery[]): Promise<AbstractQuery[]> {
    return exportQueries(queries.filter(isMetricsQuery), this.metrics);
  }
}
