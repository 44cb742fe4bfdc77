import { map } from 'rxjs';
import type {
  AdHocVariableFilter,
  DataQueryRequest,
  DataSourceInstanceSettings,
  ScopedVars,
  ToggleFilterAction,
} from '@grafana/data';
import { PrometheusDatasource } from '@grafana/prometheus';
import { getTemplateSrv, type TemplateSrv } from '@grafana/runtime';
import { withoutEmptyColumns } from '../queryFrames';
import type { GpuCloudOptions, MetricsQuery } from '../types';
import { withMetricsDefaults } from './defaults';
import { unpackFrames } from './packedFrames';
import { withQuotedValues } from './quotedTemplates';

/**
 * Grafana's Prometheus data source, on a platform that serves queries, labels and label values, but no rules, no
 * exemplars and no search.
 */
export class MetricsDataSource extends PrometheusDatasource {
  constructor(settings: DataSourceInstanceSettings<GpuCloudOptions>, templateSrv: TemplateSrv = getTemplateSrv()) {
    super({ ...settings, jsonData: withMetricsDefaults(settings.jsonData) }, withQuotedValues(templateSrv));
    // The base class calls itself "prometheus", and that ends up in the data source references of saved queries.
    this.type = settings.type;
    this.exemplarsAvailable = false;
    // The base class requests rules and exemplars here.
    this.init = async () => {};
    this.unpackFrames();
  }

  /** Unpacks the frames of a response before the base class reads them, which it does through its cache. */
  private unpackFrames() {
    const { cache } = this;
    const procFrames = cache.procFrames.bind(cache);
    cache.procFrames = (request, info, frames) => procFrames(request, info, unpackFrames(frames));
  }

  /**
   * Requests plain time series for every format of a query: the base class makes tables and heatmaps of them in the
   * browser. The backend can do that as well, for callers without one, and must not do it a second time.
   */
  applyTemplateVariables(query: MetricsQuery, scopedVars: ScopedVars, filters?: AdHocVariableFilter[]) {
    return { ...super.applyTemplateVariables(query, scopedVars, filters), format: 'time_series' as const };
  }

  /**
   * Requests packed frames, which alert rules and expressions don't: they don't come by here. Grafana does not pass its header
   * for a request without the cache on to a backend: the queries say so themselves.
   */
  query(request: DataQueryRequest<MetricsQuery>) {
    const options = request.skipQueryCache ? { packed: true, noCache: true } : { packed: true };
    const targets = request.targets.map((target) => ({ ...target, ...options }));
    return super.query({ ...request, targets }).pipe(map(withoutEmptyColumns));
  }

  /** Adds a filter to PromQL, which has no way back: what it replaces is not known. */
  toggleQueryFilter(query: MetricsQuery, { type, options }: ToggleFilterAction): MetricsQuery {
    return this.modifyQuery(query, { type: type === 'FILTER_FOR' ? 'ADD_FILTER' : 'ADD_FILTER_OUT', options });
  }

  queryHasFilter(): boolean {
    return false;
  }

  shouldRunExemplarQuery(): boolean {
    return false;
  }

  hasSearchApiSupport(): boolean {
    return false;
  }
}
