import { lastValueFrom, type Observable } from 'rxjs';
import type { DataFrame, DataQueryRequest, DataQueryResponse } from '@grafana/data';
import type { GpuCloudQuery } from './types';

/** What runs queries: the data source. */
export interface Runs {
  query(request: DataQueryRequest<GpuCloudQuery>): Observable<DataQueryResponse>;
}

/** Runs queries that fill a list or a variable. Rejects with the first error's sentence, if there is one. */
export async function runOnce(source: Runs, request: DataQueryRequest<GpuCloudQuery>): Promise<DataFrame[]> {
  // A request that fails as a whole has its error in the older member.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const { data, error, errors = [] } = await lastValueFrom(source.query(request));
  const [first] = [...errors, error].filter((one) => one !== undefined);
  if (first) {
    throw new Error(first.data?.message ?? first.message ?? 'The query could not be run.');
  }
  return data;
}
