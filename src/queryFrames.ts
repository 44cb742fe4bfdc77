import { lastValueFrom, type Observable } from 'rxjs';
import type { DataFrame, DataQueryRequest, DataQueryResponse } from '@grafana/data';
import { errorMessage, responseErrors } from './responseErrors';
import type { GpuCloudQuery } from './types';

/** What runs queries: the data source. */
export interface QueryRunner {
  query(request: DataQueryRequest<GpuCloudQuery>): Observable<DataQueryResponse>;
}

/** QueryRunner queries that fill a list or a variable. Rejects with the first error's sentence, if there is one. */
export async function queryFrames(source: QueryRunner, request: DataQueryRequest<GpuCloudQuery>): Promise<DataFrame[]> {
  const response = await lastValueFrom(source.query(request));
  const [error] = responseErrors(response);
  if (error) {
    throw new Error(errorMessage(error));
  }
  return response.data;
}
