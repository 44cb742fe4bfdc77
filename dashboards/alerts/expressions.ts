// The parts of an alert rule: its queries, and the expressions that Grafana evaluates on their results.

import type { TypedQuery } from '../lib/queries.ts';

export interface Query {
  /** How far it looks back, in seconds. */
  past: number;
  model: Record<string, unknown>;
}

export interface Condition {
  refId: string;
  model: Record<string, unknown>;
}

/** Times, in seconds. */
export const QUARTER_HOUR = 15 * 60;
export const DAY = 24 * 60 * 60;

/** An instant query: a number for each label set, which needs no reduce step. */
export const now = (expr: string): Query => ({
  past: 10 * 60,
  model: { expr: flat(expr), instant: true, range: false },
});

/** A query of another service, over the last seconds. */
export const typed = (past: number, query: TypedQuery): Query => ({ past, model: { ...query } });

/** Fires where the number is above, or below, a limit. This is the number to tune. */
export const threshold = (of: string, type: 'gt' | 'lt', limit: number): Condition => ({
  refId: 'C',
  model: { type: 'threshold', expression: of, conditions: [{ evaluator: { type, params: [limit] } }] },
});

/** Fires where the expression is neither 0 nor without a value. */
export const math = (refId: string, expression: string): Condition => ({
  refId,
  model: { type: 'math', expression },
});

/** PromQL is written over several lines here, and saved in one. */
const flat = (expr: string): string =>
  expr
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/ ([)\]])/g, '$1');
