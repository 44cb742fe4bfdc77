import {
  CustomVariableSupport,
  type DataQueryRequest,
  type DataQueryResponse,
  type MetricFindValue,
} from '@grafana/data';
import { PrometheusVariableSupport } from '@grafana/prometheus';
import type { TemplateSrv } from '@grafana/runtime';
import { from, map, type Observable } from 'rxjs';
import type { GpuCloud } from '../GpuCloud';
import { lazyEditor } from '../lazyEditor';
import { isPlatformVariable } from '../platform/query';
import { isRunVariable } from '../runs/query';
import { migrateQuery } from '../saved/migrateQuery';
import { isFineTuningVariable, type GpuCloudVariableQuery, type MetricsVariableQuery } from '../types';
import { fineTuningValues } from './fineTuningVariable';
import { platformValues } from './platformVariable';
import { runValues } from './runVariable';

/**
 * Dashboard variables: Prometheus' query types (label names and values, metrics, query result, series, classic), and
 * jobs, models, statuses and checkpoints of the tuning gateway, runs, and products, locations and any list of the main API.
 */
export class VariableSupport extends CustomVariableSupport<GpuCloud, GpuCloudVariableQuery> {
  readonly editor = lazyEditor(async () => (await import('./VariableEditor')).VariableEditor);
  private readonly prometheus: PrometheusVariableSupport;

  constructor(
    private readonly dataSource: GpuCloud,
    private readonly templateSrv: TemplateSrv
  ) {
    super();
    this.prometheus = new PrometheusVariableSupport(dataSource.metrics, templateSrv);
  }

  query(request: DataQueryRequest<GpuCloudVariableQuery>): Observable<DataQueryResponse> {
    const values = this.values(request);
    return values
      ? from(values).pipe(map((data) => ({ data })))
      : this.prometheus.query({ ...request, targets: request.targets as MetricsVariableQuery[] });
  }

  /** The values of a variable that is not PromQL. */
  private values(request: DataQueryRequest<GpuCloudVariableQuery>): Promise<MetricFindValue[]> | undefined {
    const [saved] = request.targets;
    const query = saved && migrateQuery(saved);
    if (query && isFineTuningVariable(query)) {
      return fineTuningValues({ ...request, targets: [query] }, this.dataSource, this.templateSrv);
    }
    if (query && isPlatformVariable(query)) {
      return platformValues({ ...request, targets: [query] }, this.dataSource);
    }
    if (query && isRunVariable(query)) {
      return runValues({ ...request, targets: [query] }, this.dataSource);
    }
    return undefined;
  }
}
