import type { AdHocVariableFilter, DataSourceApi, QueryHint, ScopedVars } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import type { MetricsDataSource } from '../metrics/MetricsDataSource';
import type { GpuCloudQuery } from '../types';
import { templatesOf } from '../types/templates';
import { describeQuery, fillQuery, hasFilter, hasPromql, isBlank, toggleFilter } from './typedQuery';

/** What Grafana wants to know of queries that are not PromQL. `MetricsDataSource` says it of PromQL. */
export class TypedQueries {
  constructor(
    private readonly dataSource: Pick<DataSourceApi, 'getRef'>,
    private readonly metrics: MetricsDataSource,
    private readonly templateSrv: TemplateSrv
  ) {}

  filterQuery = (query: GpuCloudQuery): boolean => !query.hide && !isBlank(query);

  getQueryDisplayText = describeQuery;

  targetContainsTemplate = (query: GpuCloudQuery): boolean => this.templateSrv.containsTemplate(JSON.stringify(query));

  applyTemplateVariables(query: GpuCloudQuery, scopedVars: ScopedVars, filters?: AdHocVariableFilter[]): GpuCloudQuery {
    const promql = (expr: string) => this.metrics.interpolateString(expr, scopedVars);
    const filled = fillQuery(query, templatesOf(this.templateSrv, scopedVars, promql));
    // They are applied to PromQL by the backend.
    return filters?.length && hasPromql(query)
      ? { ...filled, adhocFilters: this.metrics.generateScopeFilters(filters) }
      : filled;
  }

  interpolateVariablesInQueries = (queries: GpuCloudQuery[], scopedVars: ScopedVars): GpuCloudQuery[] =>
    queries.map((query) => ({
      ...this.applyTemplateVariables(query, scopedVars),
      datasource: this.dataSource.getRef(),
    }));

  getQueryHints = (): QueryHint[] => [];

  /** Explore's actions on a result are filters, which it toggles. */
  modifyQuery = (query: GpuCloudQuery): GpuCloudQuery => query;

  toggleQueryFilter = toggleFilter;

  queryHasFilter = hasFilter;
}
