import { CustomVariableSupport, type DataQueryRequest, type DataQueryResponse } from '@grafana/data';
import { PrometheusVariableSupport } from '@grafana/prometheus';
import type { TemplateSrv } from '@grafana/runtime';
import { defer, map, type Observable } from 'rxjs';
import type { GpuCloud } from '../GpuCloud';
import { lazyEditor } from '../lazyEditor';
import type { MetricsDataSource } from '../metrics/MetricsDataSource';
import { readQuery } from '../saved/readQuery';
import { isTypedVariable, type GpuCloudVariableQuery, type MetricsVariableQuery } from './query';
import { valuesOf } from './values';

/**
 * Dashboard variables: Prometheus' query types (label names and values, metrics, query result, series, classic), and
 * jobs, models and statuses of the tuning gateway, runs, and any list of the main API.
 */
export class VariableSupport extends CustomVariableSupport<GpuCloud, GpuCloudVariableQuery> {
  readonly editor = lazyEditor(async () => (await import('./VariableEditor')).VariableEditor);
  private readonly prometheus: PrometheusVariableSupport;

  constructor(
    private readonly dataSource: GpuCloud,
    metrics: MetricsDataSource,
    private readonly templateSrv: TemplateSrv
  ) {
    super();
    // Lists of Grafana's Prometheus data source are empty if their request fails, which suits suggestions of an editor. Panels would be empty, too.
    metrics.languageProvider.request = async (...request) => (await metrics.metadataRequest(...request)).data.data;
    this.prometheus = new PrometheusVariableSupport(metrics, templateSrv);
  }

  query(request: DataQueryRequest<GpuCloudVariableQuery>): Observable<DataQueryResponse> {
    const [query] = request.targets;
    return isTypedVariable(query)
      ? defer(() => valuesOf(readQuery(query), request, this.dataSource, this.templateSrv)).pipe(
          map((data) => ({ data }))
        )
      : this.prometheus.query({ ...request, targets: request.targets as MetricsVariableQuery[] });
  }
}
