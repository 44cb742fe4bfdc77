import type { ScopedVars } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import type { Templates } from './options';

/** What the backend fills into PromQL, even if a dashboard has a variable of that name: it picks the step, and knows the runs. */
const STEPS = ['__interval', '__interval_ms', '__rate_interval', '__rate_interval_ms'];
const OF_RUNS = ['selector', 'run', 'duration'];

/** Characters that nobody types: in the place of a dollar sign, and around the number of a value that is put in later. */
const DOLLAR = '\u0001';
const MARK = '\u0000';

/**
 * Fills in the variables of a request. In a text, the values of a variable are joined by commas, as the main API takes them. In a
 * list, they become as many entries; a variable without a value leaves an empty entry: the backend takes a list of nothing but
 * empty entries for "nothing", and an empty list for "all".
 *
 * @param promql as Grafana's Prometheus data source does it: several values become alternatives of a regular expression
 */
export function templatesOf(
  variables: TemplateSrv,
  scopedVars: ScopedVars,
  promql: (expr: string) => string
): Templates {
  return {
    text: (text) => variables.replace(text, scopedVars, 'csv'),
    list: (texts) => texts.flatMap((text) => expand(text, variables, scopedVars)),
    promql: (expr) => without(STEPS, expr, promql),
    runPromql: (expr) => without([...STEPS, ...OF_RUNS], expr, promql),
  };
}

/** Fills in all variables but some, which are written as `$name`. */
function without(left: string[], expr: string, fill: (expr: string) => string): string {
  const names = left.join('|');
  const marked = expr.replace(
    new RegExp(`\\$(?:(${names})\\b|\\{(${names})\\})`, 'g'),
    (_, plain?: string, inBraces?: string) => `${DOLLAR}${plain ?? inBraces}${DOLLAR}`
  );
  return fill(marked).replace(new RegExp(`${DOLLAR}(\\w+)${DOLLAR}`, 'g'), '$$$1');
}

function expand(text: string, variables: TemplateSrv, scopedVars: ScopedVars): string[] {
  const found: string[][] = [];
  const withMarks = variables.replace(text, scopedVars, (value: unknown) => {
    const values = Array.isArray(value) ? value : [value];
    found.push(values.length > 0 ? values.map((one) => String(one ?? '')) : ['']);
    return MARK + (found.length - 1) + MARK;
  });
  return found.reduce(
    (texts, values, index) => texts.flatMap((one) => values.map((value) => one.split(MARK + index + MARK).join(value))),
    [withMarks]
  );
}
