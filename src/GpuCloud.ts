import type { DataQueryRequest, DataQueryResponse, DataSourceApi, ScopedVars } from '@grafana/data';
import type { Observable } from 'rxjs';
import type { MetricsDataSource } from './metrics/MetricsDataSource';
import type { Lists } from './Lists';
import type { GpuCloudOptions, GpuCloudQuery } from './types';

/**
 * The data source as editors, annotations and variables see it. The class imports some of them, so they import this
 * interface instead of the class.
 */
export interface GpuCloud extends DataSourceApi<GpuCloudQuery, GpuCloudOptions> {
  /** The settings that are no secrets. */
  readonly options: GpuCloudOptions;
  readonly metrics: MetricsDataSource;
  readonly lists: Lists;
  query(request: DataQueryRequest<GpuCloudQuery>): Observable<DataQueryResponse>;
  interpolateVariablesInQueries(queries: GpuCloudQuery[], scopedVars: ScopedVars): GpuCloudQuery[];
}
