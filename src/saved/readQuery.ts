import { isPlainObject } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { isMetricsQuery, QUERY_TYPES } from '../queryTypes';
import { readOptions, type OptionKind } from '../types/options';

/** Of queries, and what only variables have. */
const OPTIONS: Record<string, OptionKind> = Object.assign(
  { textSelector: 'text', valueSelector: 'text', label: 'text' },
  ...Object.values(QUERY_TYPES).map(({ options }) => options)
);

/** Options that have to be there for a query's fields and all else that reads it. */
const REQUIRED: Record<string, object> = {
  platform: { path: '' },
  runs: { source: undefined },
  runLabels: { source: undefined },
  runComparison: { source: undefined },
  runAnnotations: { source: undefined },
};

/**
 * The saved query of a panel, an annotation or a variable, as its editor and the rest of the front end expect it. The
 * backend reads it the same way; the cases that both are held against are in `testdata/saved`. What has no meaning where
 * it stands reads as missing, so that no editor fails on it. PromQL stays exactly as Prometheus saves it.
 */
export function readQuery<Query extends DataQuery>(saved: Query): Query {
  // A new variable has no query or an empty text, and one of an old Grafana has its PromQL as a text.
  if (!isPlainObject(saved) || isMetricsQuery(saved)) {
    return saved;
  }
  return readOptions({ ...REQUIRED[saved.queryType ?? ''], ...(saved as object) }, OPTIONS) as unknown as Query;
}
