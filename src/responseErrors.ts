import { DataQueryErrorType, type DataQueryError, type DataQueryResponse } from '@grafana/data';
import { t } from './i18n';

/**
 * The errors of a response. A request that fails as a whole has its error in the older of two members. That a newer request
 * has taken the place of one is no error.
 */
export function responseErrors({ errors, ...response }: DataQueryResponse): DataQueryError[] {
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const { error } = response;
  const all = errors?.length ? errors : error ? [error] : [];
  return all.filter(({ type }) => type !== DataQueryErrorType.Cancelled);
}

/** What a person reads of an error, of a query or of another request. */
export function errorMessage(error: unknown): string {
  const { data, message }: DataQueryError = error ?? {};
  return data?.message || message || t('The query could not be run.');
}
