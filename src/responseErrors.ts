import type { DataQueryError, DataQueryResponse } from '@grafana/data';

/** The errors of a response. A request that fails as a whole has its error in the older of two members. */
export function responseErrors({ errors, ...response }: DataQueryResponse): DataQueryError[] {
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const { error } = response;
  return errors?.length ? errors : error ? [error] : [];
}

/** What a person reads of an error. */
export function errorMessage({ data, message }: DataQueryError): string {
  return data?.message ?? message ?? 'The query could not be run.';
}
