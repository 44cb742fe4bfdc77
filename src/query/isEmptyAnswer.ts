import { LoadingState, type PanelData } from '@grafana/data';

/** True if a query has been answered, without an error, and with nothing. */
export function isEmptyAnswer({ state, series, errors = [] }: PanelData, refId: string): boolean {
  const own = series.filter((frame) => frame.refId === refId);
  const failed = errors.some((error) => error.refId === undefined || error.refId === refId);
  return state === LoadingState.Done && !failed && own.every((frame) => frame.length === 0);
}
