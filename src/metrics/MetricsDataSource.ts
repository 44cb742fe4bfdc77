import type { AdHocVariableFilter, DataQueryRequest, DataSourceInstanceSettings, ScopedVars } from '@grafana/data';
import { PrometheusDatasource, type PromMetricsMetadata } from '@grafana/prometheus';
import type { TemplateSrv } from '@grafana/runtime';
import type { GpuCloudOptions, MetricsQuery } from '../types';
import { withMetricsDefaults } from './defaults';

/**
 * Grafana's Prometheus data source, on a platform that serves queries, labels and label values, but no rules, no
 * exemplars and no search.
 */
export class MetricsDataSource extends PrometheusDatasource {
  constructor(settings: DataSourceInstanceSettings<GpuCloudOptions>, templateSrv?: TemplateSrv) {
    super({ ...settings, jsonData: withMetricsDefaults(settings.jsonData) }, templateSrv);
    // The base class calls itself "prometheus", and that ends up in the data source references of saved queries.
    this.type = settings.type;
    this.exemplarsAvailable = false;
    // The base class requests rules and exemplars here.
    this.init = async () => {};
    this.describeMetrics();
  }

  /** Has the editors read the catalog's descriptions where the platform has none. It is loaded with the first. */
  private describeMetrics() {
    const provider = this.languageProvider;
    const { queryMetricsMetadata } = provider;
    let described: PromMetricsMetadata = {};
    provider.queryMetricsMetadata = async (limit) => {
      const [known, { describeMetrics }] = await Promise.all([
        queryMetricsMetadata(limit),
        import('./describeMetrics'),
      ]);
      described = describeMetrics(known);
      return described;
    };
    provider.retrieveMetricsMetadata = () => described;
  }

  /**
   * Asks for plain time series whatever the query's format is: the base class makes tables and heatmaps of them in the
   * browser. The backend can do that as well, for callers without one, and must not do it a second time.
   */
  applyTemplateVariables(query: MetricsQuery, scopedVars: ScopedVars, filters?: AdHocVariableFilter[]) {
    return { ...super.applyTemplateVariables(query, scopedVars, filters), format: 'time_series' as const };
  }

  /** Grafana does not pass its header for a request without the cache on to a backend: the queries say so themselves. */
  query(request: DataQueryRequest<MetricsQuery>) {
    if (!request.skipQueryCache) {
      return super.query(request);
    }
    return super.query({ ...request, targets: request.targets.map((target) => ({ ...target, noCache: true })) });
  }

  shouldRunExemplarQuery(): boolean {
    return false;
  }

  hasSearchApiSupport(): boolean {
    return false;
  }
}
