import type { DataSourceInstanceSettings } from '@grafana/data';
import { PrometheusDatasource } from '@grafana/prometheus';
import type { TemplateSrv } from '@grafana/runtime';
import type { GpuCloudOptions } from '../types';
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
    // The base class asks for rules and exemplars here.
    this.init = async () => {};
  }

  shouldRunExemplarQuery(): boolean {
    return false;
  }

  hasSearchApiSupport(): boolean {
    return false;
  }
}
