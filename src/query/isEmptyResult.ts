import { FieldType, LoadingState, type DataFrame, type PanelData } from '@grafana/data';

/** True if a query has finished without an error and without a value. */
export function isEmptyResult({ state, series, errors = [] }: PanelData, refId: string): boolean {
  const own = series.filter((frame) => frame.refId === refId);
  const failed = errors.some((error) => error.refId === undefined || error.refId === refId);
  return state === LoadingState.Done && !failed && own.every(hasNoValue);
}

/** A timeline without a job has times and an empty row. */
const hasNoValue = ({ fields }: DataFrame): boolean =>
  fields.every(({ type, values }) => type === FieldType.time || values.every((value) => value === null));
