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
import { annotationSupport } from './annotations/annotationSupport';
import type { GpuCloud } from './GpuCloud';
import { MetricsDataSource } from './metrics/MetricsDataSource';
import { mergeResponses, transformPublicFrames } from './metrics/responses';
import { isBlank as isBlankPlatform } from './platform/blank';
import { describePlatform } from './platform/describe';
import { interpolatePlatform } from './platform/interpolate';
import { OfferLists } from './platform/OfferLists';
import { pathIds, type PathIds } from './platform/path';
import { describeRuns } from './runs/describe';
import { interpolateRuns, type Templates } from './runs/interpolate';
import { runProblem } from './runs/problem';
import { interpolate } from './saved/interpolate';
import { migrateQuery } from './saved/migrateQuery';
import { describeTraining } from './training/describe';
import { interpolateTraining } from './training/interpolate';
import { describe } from './tuning/describe';
import { Gateway } from './tuning/Gateway';
import type { FineTuningQuery, GpuCloudOptions, GpuCloudQuery, JobFilters } from './types';
import { VariableSupport } from './variables/VariableSupport';
import { isFineTuningQuery, isMetricsQuery, isPlatformQuery, isRunQuery, isTrainingQuery } from './queryTypes';

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
  readonly capacities: OfferLists;
  readonly placement: OfferLists;
  readonly pathIds: PathIds;
  readonly options: GpuCloudOptions;

  /** What fills variables into queries about runs. */
  private readonly templates: Templates;

  constructor(
    settings: DataSourceInstanceSettings<GpuCloudOptions>,
    private readonly templateSrv: TemplateSrv = getTemplateSrv()
  ) {
    super(settings);
    this.metrics = new MetricsDataSource(settings, templateSrv);
    this.templates = {
      texts: templateSrv,
      promql: (expr, scopedVars) => this.metrics.interpolateString(expr, scopedVars),
    };
    this.interval = this.metrics.interval;
    this.languageProvider = this.metrics.languageProvider;
    this.gateway = new Gateway(this);
    this.capacities = new OfferLists(this, { refId: 'capacities', queryType: 'capacities' });
    this.placement = new OfferLists(this, { refId: 'placement', queryType: 'placement', gpus: 1 });
    this.options = settings.jsonData;
    this.pathIds = pathIds(settings.jsonData);
    this.annotations = annotationSupport(this.metrics, Boolean(settings.jsonData.intelligenceUrl));
    this.variables = new VariableSupport(this, templateSrv);
  }

  query(request: DataQueryRequest<GpuCloudQuery>): Observable<DataQueryResponse> {
    const metricsIn = (queries: GpuCloudQuery[]) => ({ ...request, targets: queries.filter(isMetricsQuery) });
    if (config.publicDashboardAccessToken) {
      // A public dashboard sends no queries: the server runs all of the panel's at once, also if some are requested.
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
    return !query.hide && !isBlank(migrateQuery(query));
  }

  async testDatasource(): Promise<TestDataSourceResponse> {
    const { testServices } = await import('./config/healthResult');
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
    if (isRunQuery(query)) {
      return describeRuns(query);
    }
    if (isTrainingQuery(query)) {
      return describeTraining(query);
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
    if (isRunQuery(query)) {
      return interpolateRuns(query, this.templates, scopedVars);
    }
    if (isTrainingQuery(query)) {
      return interpolateTraining(query, this.templates, scopedVars);
    }
    return isFineTuningQuery(query) ? interpolate(query, this.templateSrv, scopedVars) : query;
  }

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
  async importQueries(queries: DataQuery[], origin: DataSourceApi): Promise<GpuCloudQuery[]> {
    const { importQueries } = await import('./metrics/importQueries');
    return importQueries(queries, origin, this.metrics);
  }

  /** Hands queries over to another type of data source: whole to Prometheus, as label matchers to others. */
  async exportToAbstractQueries(queries: GpuCloudQuery[]): Promise<AbstractQuery[]> {
    const { exportQueries } = await import('./metrics/exportQueries');
    return exportQueries(queries.filter(isMetricsQuery), this.metrics);
  }
}

/** Whether a query can't be run yet: what it is about is still to be filled in. */
function isBlank(query: GpuCloudQuery): boolean {
  if (isRunQuery(query)) {
    return runProblem(query) !== undefined;
  }
  return isPlatformQuery(query) && isBlankPlatform(query);
}
