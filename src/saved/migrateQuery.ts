import { isPlainObject, mapValues } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { isMetricsQuery, QUERY_TYPES, type OptionKind } from '../queryTypes';

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
  const read = mapValues(saved, readOption) as DataQuery & { path?: unknown };
  return (read.queryType === 'platform' ? { ...read, path: read.path ?? '' } : read) as Query;
}

function readOption(value: unknown, option: string): unknown {
  return Object.hasOwn(OPTIONS, option) ? READ[OPTIONS[option]](value) : value;
}

/** Readers of options that people who write queries by hand, and provisioning, save in more than one form. */
const READ: Record<OptionKind, (value: unknown) => unknown> = {
  list: texts,
  text,
  number: (value) => (typeof value === 'string' ? Number(value) || undefined : value),
  switch: (value) => value,
  columns: (value) => rows(value, { selector: '' }),
  parameters: (value) => rows(value, { name: '', value: '' }),
};

/** Of queries, and what only variables have. */
const OPTIONS: Record<string, OptionKind> = Object.assign(
  { textSelector: 'text', valueSelector: 'text' },
  ...Object.values(QUERY_TYPES).map(({ options }) => options)
);

/** A single entry may be saved without a list around it. */
function texts(value: unknown): string[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  const read = list.map(text).filter((entry) => entry !== undefined);
  return Array.isArray(value) || read.length > 0 ? read : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** Objects whose members are texts, as far as they have one; `required` fills in those that have to be there. */
function rows(value: unknown, required: Record<string, string>): Array<Record<string, unknown>> | undefined {
  return Array.isArray(value)
    ? value.filter(isPlainObject).map((row) => ({ ...required, ...mapValues(row, text) }))
    : undefined;
}
