// The parts of an alert rule: its queries, and the expressions that Grafana evaluates on their results.

/** The part of a fine-tuning or capacity query that alert rules use; see `src/types.ts` for all. */
type TypedQuery =
  | { queryType: 'fineTuningJobs'; format: 'countByJob' | 'overdue'; statuses: string[] }
  | { queryType: 'fineTuningCurves'; metrics: string[]; statuses: string[] }
  | { queryType: 'capacities'; format: 'number'; productNames: string[] };

export interface Query {
  /** How far it looks back, in seconds. */
  past: number;
  model: Record<string, unknown>;
}

export interface Condition {
  refId: string;
  /** A comment on it, for readers of the file. */
  comment?: string;
  model: Record<string, unknown>;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** An instant query: a number for each label set, which needs no reduce step. */
export const now = (expr: string): Query => ({
  past: 10 * MINUTE,
  model: { expr: flat(expr), instant: true, range: false },
});

/** A range query: a series for each label set, a point a minute. */
export const over = (hours: number, expr: string): Query => ({
  past: hours * HOUR,
  model: { expr: flat(expr), instant: false, range: true, interval: '1m' },
});

export const ask = (past: number, query: TypedQuery): Query => ({ past, model: { ...query } });

/** A metric of the vendor's, whatever its prefix. */
export const vendor = (name: string): string => `{__name__=~".+_${name}"}`;

/** Fires where the number is above, or below, a limit. This is the number to tune. */
export const threshold = (of: string, type: 'gt' | 'lt', limit: number): Condition => ({
  refId: 'C',
  model: { type: 'threshold', expression: of, conditions: [{ evaluator: { type, params: [limit] } }] },
});

/** Takes one number of each series. Points that are no number stay, or count as the given number. */
export const reduce = (refId: string, of: string, reducer: 'last' | 'min', insteadOfNaN?: number): Condition => ({
  refId,
  model: {
    type: 'reduce',
    expression: of,
    reducer,
    ...(insteadOfNaN !== undefined && { settings: { mode: 'replaceNN', replaceWithValue: insteadOfNaN } }),
  },
});

/** Fires where the expression is neither 0 nor without a value. */
export const math = (refId: string, expression: string, comment: string): Condition => ({
  refId,
  comment,
  model: { type: 'math', expression },
});

/** PromQL is written over several lines here, and saved in one. */
const flat = (expr: string): string =>
  expr
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/ ([)\]])/g, '$1');
