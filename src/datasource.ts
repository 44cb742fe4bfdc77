import { partition } from 'lodash';
import { combineLatest, map, of, type Observable } from 'rxjs';
import {
  type CoreApp,
  type AbstractQuery,
  type AdHocVariableFilter,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceApi,
  type DataSourceGetDrilldownsApplicabilityOptions,
  type DataSourceGetTagKeysOptions,
  type DataSourceGetTagValuesOptions,
  type DataSourceInstanceSettings,
  type DataSourceWithQueryExportSupport,
  type DataSourceWithQueryModificationSupport,
  type DataSourceWithToggleableQueryFiltersSupport,
  type DrilldownsApplicability,
  type LegacyMetricFindQueryOptions,
  type MetricFindValue,
  type QueryFilterOptions,
  type QueryFixAction,
  type QueryFixType,
  type QueryHint,
  type ScopedVars,
  type TestDataSourceResponse,
  type ToggleFilterAction,
  reverseScopeFilterOperatorMap,
} from '@grafana/data';
import {
  config,
  DataSourceWithBackend,
  getTemplateSrv,
  isExpressionReference,
  type TemplateSrv,
} from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';
import { t } from './i18n';
import { annotationSupport } from './annotations/annotationSupport';
import { offerToAssistant } from './assistant/offer';
import type { GpuCloud } from './GpuCloud';
import { MetricsDataSource } from './metrics/MetricsDataSource';
import { mergeResponses, transformPublicFrames } from './metrics/responses';
import { TypedQueries } from './saved/TypedQueries';
import { hasPromql } from './saved/typedQuery';
import { Lists } from './Lists';
import type { GpuCloudOptions, GpuCloudQuery } from './types';
import { VariableSupport } from './variables/VariableSupport';
import { withoutEmptyColumns } from './queryFrames';
import { isMetricsQuery } from './queryTypes';

/** The labels that filters offer are those of the metrics of PromQL, within the filters of scopes and of the dashboard. */
function labelOptions<T extends DataSourceGetTagKeysOptions<GpuCloudQuery>>({ scopes = [], ...options }: T) {
  const filters = scopes.flatMap(({ spec }) =>
    (spec.filters ?? []).map((filter) => ({ ...filter, operator: reverseScopeFilterOperatorMap[filter.operator] }))
  );
  return { ...options, queries: options.queries?.filter(isMetricsQuery), filters: [...filters, ...options.filters] };
}

/** What Grafana wants to know of a query without running it. */
type Side = Pick<
  DataSource,
  | 'applyTemplateVariables'
  | 'filterQuery'
  | 'getQueryDisplayText'
  | 'getQueryHints'
  | 'interpolateVariablesInQueries'
  | 'modifyQuery'
  | 'queryHasFilter'
  | 'targetContainsTemplate'
  | 'toggleQueryFilter'
>;

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
  implements
    GpuCloud,
    DataSourceWithQueryExportSupport<GpuCloudQuery>,
    DataSourceWithQueryModificationSupport<GpuCloudQuery>,
    DataSourceWithToggleableQueryFiltersSupport<GpuCloudQuery>
{
  readonly metrics: MetricsDataSource;
  private readonly typed: TypedQueries;
  readonly lists = new Lists(this);
  readonly options: GpuCloudOptions;

  constructor(settings: DataSourceInstanceSettings<GpuCloudOptions>, templateSrv: TemplateSrv = getTemplateSrv()) {
    super(settings);
    this.metrics = new MetricsDataSource(settings, templateSrv);
    this.typed = new TypedQueries(this, this.metrics, templateSrv);
    this.interval = this.metrics.interval;
    this.languageProvider = this.metrics.languageProvider;
    this.options = settings.jsonData;
    this.annotations = annotationSupport(this.metrics, Boolean(settings.jsonData.intelligenceUrl));
    this.variables = new VariableSupport(this, new MetricsDataSource(settings, templateSrv), templateSrv);
    offerToAssistant(settings);
  }

  query(request: DataQueryRequest<GpuCloudQuery>): Observable<DataQueryResponse> {
    if (config.publicDashboardAccessToken) {
      // A public dashboard sends no queries: the server runs all of the panel's at once, also if some are requested.
      const metrics = { ...request, targets: request.targets.filter(isMetricsQuery) };
      return super.query(request).pipe(map((response) => transformPublicFrames(response, metrics)));
    }
    // Grafana filters the queries of a panel, but not those of a mixed one.
    const targets = request.targets.filter(
      (query) => isExpressionReference(query.datasource) || this.filterQuery(query)
    );
    const [metrics, others] = partition(targets, isMetricsQuery);

    if (targets.length === 0) {
      return of({ data: [] });
    }
    if (others.length === 0) {
      return this.metrics.query({ ...request, targets: metrics });
    }
    if (metrics.length === 0) {
      return super.query({ ...request, targets: others }).pipe(map(withoutEmptyColumns));
    }
    return combineLatest([
      this.metrics.query({ ...request, targets: metrics }),
      // A request id of its own, because Grafana cancels a running request when another comes with the same id.
      super
        .query({ ...request, targets: others, requestId: request.requestId && `${request.requestId}-backend` })
        .pipe(map(withoutEmptyColumns)),
    ]).pipe(map(([left, right]) => mergeResponses(left, right)));
  }

  /** What answers Grafana about a query without running it. */
  private sideOf(query: GpuCloudQuery): Side {
    return isMetricsQuery(query) ? this.metrics : this.typed;
  }

  filterQuery(query: GpuCloudQuery): boolean {
    return this.sideOf(query).filterQuery(query);
  }

  async testDatasource(): Promise<TestDataSourceResponse> {
    const { testServices } = await import('./config/healthResult');
    return testServices(this.uid, () => this.callHealthCheck());
  }

  getDefaultQuery(app: CoreApp): Partial<GpuCloudQuery> {
    return this.metrics.getDefaultQuery(app);
  }

  getQueryDisplayText(query: GpuCloudQuery): string {
    return this.sideOf(query).getQueryDisplayText(query);
  }

  targetContainsTemplate(query: GpuCloudQuery): boolean {
    return this.sideOf(query).targetContainsTemplate(query);
  }

  applyTemplateVariables(query: GpuCloudQuery, scopedVars: ScopedVars, filters?: AdHocVariableFilter[]): GpuCloudQuery {
    return this.sideOf(query).applyTemplateVariables(query, scopedVars, filters);
  }

  interpolateVariablesInQueries(
    queries: GpuCloudQuery[],
    scopedVars: ScopedVars,
    filters?: AdHocVariableFilter[]
  ): GpuCloudQuery[] {
    return queries.flatMap((query) => this.sideOf(query).interpolateVariablesInQueries([query], scopedVars, filters));
  }

  getQueryHints(query: GpuCloudQuery, result: unknown[]): QueryHint[] {
    return this.sideOf(query).getQueryHints(query, result);
  }

  modifyQuery(query: GpuCloudQuery, action: QueryFixAction): GpuCloudQuery {
    return this.sideOf(query).modifyQuery(query, action);
  }

  getSupportedQueryModifications(): QueryFixType[] {
    return ['ADD_FILTER', 'ADD_FILTER_OUT'];
  }

  toggleQueryFilter(query: GpuCloudQuery, filter: ToggleFilterAction): GpuCloudQuery {
    return this.sideOf(query).toggleQueryFilter(query, filter);
  }

  queryHasFilter(query: GpuCloudQuery, filter: QueryFilterOptions): boolean {
    return this.sideOf(query).queryHasFilter(query, filter);
  }

  /** Which ad hoc filters and groupings have an effect on a panel or a dashboard. Grafana marks the others. */
  async getDrilldownsApplicability({
    filters = [],
    groupByKeys = [],
    queries = [],
  }: DataSourceGetDrilldownsApplicabilityOptions<GpuCloudQuery> = {}): Promise<DrilldownsApplicability[]> {
    const has = (applies: (query: GpuCloudQuery) => boolean) => queries.length === 0 || queries.some(applies);
    const effect = (applicable: boolean, reason: string) => (applicable ? { applicable } : { applicable, reason });
    const filtering = effect(
      has((query) => isMetricsQuery(query) || hasPromql(query)),
      t('Filters are applied to PromQL, runs and training health, which are not here.')
    );
    const grouping = effect(false, t('Dashboards do not group queries here. Write by (…) in PromQL.'));
    return [
      ...filters.map(({ key, origin }) => ({ key, origin, ...filtering })),
      ...groupByKeys.map((key) => ({ key, ...grouping })),
    ];
  }

  metricFindQuery(query: string, options?: LegacyMetricFindQueryOptions): Promise<MetricFindValue[]> {
    return this.metrics.metricFindQuery(query, options);
  }

  getTagKeys(options: DataSourceGetTagKeysOptions<GpuCloudQuery>): Promise<MetricFindValue[]> {
    return this.metrics.getTagKeys(labelOptions(options));
  }

  getTagValues(options: DataSourceGetTagValuesOptions<GpuCloudQuery>): Promise<MetricFindValue[]> {
    return this.metrics.getTagValues(labelOptions(options));
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
