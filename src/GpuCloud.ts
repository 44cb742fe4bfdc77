import type { DataQueryRequest, DataQueryResponse, DataSourceApi, ScopedVars } from '@grafana/data';
import type { Observable } from 'rxjs';
import type { MetricsDataSource } from './metrics/MetricsDataSource';
import type { OfferLists } from './mainapi/OfferLists';
import type { Gateway } from './fineTuning/Gateway';
import type { GpuCloudOptions, GpuCloudQuery } from './types';

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
  query(request: DataQueryRequest<GpuCloudQuery>): Observable<DataQueryResponse>;
  interpolateVariablesInQueries(queries: GpuCloudQuery[], scopedVars: ScopedVars): GpuCloudQuery[];
}
