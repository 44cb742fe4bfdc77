import { isPlainObject, mapValues } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { isMetricsQuery, isRunQuery, QUERY_TYPES, type OptionKind } from '../queryTypes';
import { readSource } from '../runs/readSource';
import { number, rows, text, texts } from './readers';

/**
 * The saved query of a panel, an annotation or a variable, as its editor and the rest of the front end expect it. The
 * backend reads it the same way; the cases that both are held against are in `testdata/saved`. What has no meaning where
 * it stands reads as missing, so that no editor fails on it. PromQL stays exactly as Prometheus saves it.
 */
export function migrateQuery<Query extends DataQuery>(saved: Query): Query {
  // A new variable has no query or an empty text, and one of an old Grafana has its PromQL as a text.
  if (!isPlainObject(saved) || isMetricsQuery(saved)) {
    return saved;
  }
  const read = mapValues(saved, readOption) as DataQuery & { path?: unknown; source?: unknown };
  if (read.queryType === 'platform') {
    return { ...read, path: read.path ?? '' } as unknown as Query;
  }
  const isOfRuns = isRunQuery(read) || read.queryType === 'runLabels';
  return (isOfRuns ? { ...read, source: read.source ?? readSource(undefined) } : read) as Query;
}

function readOption(value: unknown, option: string): unknown {
  return Object.hasOwn(OPTIONS, option) ? READ[OPTIONS[option]](value) : value;
}

const READ: Record<OptionKind, (value: unknown) => unknown> = {
  list: texts,
  text,
  number,
  switch: (value) => value,
  columns: (value) => rows(value, { selector: '' }),
  parameters: (value) => rows(value, { name: '', value: '' }),
  source: readSource,
  measures: (value) => rows(value, { name: '', expr: '' }),
};

/** Of queries, and what only variables have. */
const OPTIONS: Record<string, OptionKind> = Object.assign(
  { textSelector: 'text', valueSelector: 'text', label: 'text' },
  ...Object.values(QUERY_TYPES).map(({ options }) => options)
);
