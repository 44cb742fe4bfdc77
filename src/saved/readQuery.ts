import { mapValues } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { isMetricsQuery } from '../types';

/** Options that are lists. People who write queries by hand write a single entry as a text. */
const LISTS = new Set([
  'jobIds',
  'levels',
  'locations',
  'metrics',
  'models',
  'productNames',
  'purposes',
  'show',
  'statuses',
]);

/** Options that are numbers. Provisioning makes texts of those that are quoted. */
const NUMBERS = new Set(['maxPages']);

/**
 * A saved query as its editor and the rest of the front end expect it. The backend reads it the same way; the cases
 * that both are held against are in `testdata/saved`. PromQL is left alone: it stays exactly as Prometheus saves it.
 */
export function readQuery<Query extends DataQuery>(saved: Query): Query {
  return isMetricsQuery(saved) ? saved : (mapValues(saved, readOption) as Query);
}

function readOption(value: unknown, option: string): unknown {
  if (LISTS.has(option)) {
    return typeof value === 'string' ? [value] : (value ?? undefined);
  }
  return NUMBERS.has(option) && typeof value === 'string' ? Number(value) || undefined : value;
}
