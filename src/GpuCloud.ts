import type { DataQueryRequest, DataQueryResponse, DataSourceApi, ScopedVars } from '@grafana/data';
import type { Observable } from 'rxjs';
import type { MetricsDataSource } from './metrics/MetricsDataSource';
import type { OfferLists } from './platform/OfferLists';
import type { PathIds } from './platform/path';
import type { Gateway } from './tuning/Gateway';
import type { FineTuningQuery, GpuCloudOptions, GpuCloudQuery, JobFilters } from './types';

/**
 * The data source as editors, annotations and variables see it. The class imports some of them, so they import this
 * interface instead of the class.
 */
export interface GpuCloud extends DataSourceApi<GpuCloudQuery, GpuCloudOptions> {
  /** The settings that are no secrets. */
  readonly options: GpuCloudOptions;
  readonly metrics: MetricsDataSource;
  readonly gateway: Gateway;
  /** The products on offer, and where. */
  readonly capacities: OfferLists;
  /** The GPU types that are offered or owned, and where. */
  readonly placement: OfferLists;
  /** Which ids the settings have for the paths of lists. */
  readonly pathIds: PathIds;
  query(request: DataQueryRequest<GpuCloudQuery>): Observable<DataQueryResponse>;
  /** Which jobs a query is about, with the dashboard's variables filled in. */
  interpolateFilters(query: FineTuningQuery, scopedVars: ScopedVars): JobFilters;
}
