import { CustomVariableSupport, type DataQueryRequest, type DataQueryResponse } from '@grafana/data';
import { PrometheusVariableSupport } from '@grafana/prometheus';
import type { TemplateSrv } from '@grafana/runtime';
import type { Observable } from 'rxjs';
import type { DataSource } from '../datasource';
import { lazyEditor } from '../lazyEditor';
import type { MetricsDataSource } from '../metrics/MetricsDataSource';
import type { GpuCloudVariableQuery } from '../types';

/** Dashboard variables, with Prometheus' query types: label names and values, metrics, query result, series, classic. */
export class VariableSupport extends CustomVariableSupport<DataSource, GpuCloudVariableQuery> {
  readonly editor = lazyEditor(async () => (await import('./VariableEditor')).VariableEditor);
  private readonly prometheus: PrometheusVariableSupport;

  constructor(metrics: MetricsDataSource, templateSrv: TemplateSrv) {
    super();
    this.prometheus = new PrometheusVariableSupport(metrics, templateSrv);
  }

  query(request: DataQueryRequest<GpuCloudVariableQuery>): Observable<DataQueryResponse> {
    return this.prometheus.query(request);
  }
}
