import { CustomVariableSupport, type DataQueryRequest, type DataQueryResponse } from '@grafana/data';
import { PrometheusVariableSupport } from '@grafana/prometheus';
import type { TemplateSrv } from '@grafana/runtime';
import type { Observable } from 'rxjs';
import type { GpuCloud } from '../GpuCloud';
import { lazyEditor } from '../lazyEditor';
import { isPlatformVariable } from '../platform/query';
import { isRunVariable } from '../runs/query';
import { migrateQuery } from '../saved/migrateQuery';
import { isFineTuningVariable, type GpuCloudVariableQuery, type MetricsVariableQuery } from '../types';
import { queryFineTuningVariable } from './fineTuningVariable';
import { queryPlatformVariable } from './platformVariable';
import { queryRunVariable } from './runVariable';

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
    const [saved] = request.targets;
    const query = saved && migrateQuery(saved);
    if (query && isFineTuningVariable(query)) {
      return queryFineTuningVariable({ ...request, targets: [query] }, this.dataSource, this.templateSrv);
    }
    if (query && isPlatformVariable(query)) {
      return queryPlatformVariable({ ...request, targets: [query] }, this.dataSource);
    }
    if (query && isRunVariable(query)) {
      return queryRunVariable({ ...request, targets: [query] }, this.dataSource);
    }
    return this.prometheus.query({ ...request, targets: request.targets as MetricsVariableQuery[] });
  }
}
