import type { ScopedVars } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';

type Format = Parameters<TemplateSrv['replace']>[2];

const QUOTES = ['"', "'", '`', '\n'];

/** Characters that nobody types, in the place of quotes in the values of variables. */
const markOf = (quote: string): string => String.fromCharCode(0xe000 + QUOTES.indexOf(quote));
const MARK = /[\ue000-\ue003]/;
const marked = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/["'`\n]/g, markOf) : Array.isArray(value) ? value.map(marked) : value;

/**
 * Fills variables into PromQL such that a value stays a value: a quote in it does not end the text that the variable is in.
 *
 * The format of Grafana's Prometheus data source, which is called with the value alone, escapes other quotes than those around the
 * variable, or none. Outside of quotes, a value is what the author of the query lets it be: an expression, or matchers.
 */
export function withQuotedValues(templates: TemplateSrv): TemplateSrv {
  const quoted: TemplateSrv = Object.create(templates);
  quoted.replace = (target?: string, scopedVars?: ScopedVars, format?: Format, interpolations?) => {
    if (typeof format !== 'function') {
      return templates.replace(target, scopedVars, format, interpolations);
    }
    const filled = templates.replace(
      target,
      scopedVars,
      (value: unknown, ...rest: unknown[]) => format(marked(value), ...rest),
      interpolations
    );
    return MARK.test(filled) ? restore(filled) : filled;
  };
  return quoted;
}

/** The quotes in the places of their marks, escaped for the text that they are in. */
function restore(promql: string): string {
  let around = '';
  let restored = '';
  for (let i = 0; i < promql.length; i++) {
    const at = promql[i];
    if (MARK.test(at)) {
      restored += escaped(QUOTES[at.charCodeAt(0) - 0xe000], around);
      continue;
    }
    restored += at;
    if (around === '#') {
      around = at === '\n' ? '' : around;
    } else if (around === '') {
      around = /["'`#]/.test(at) ? at : '';
    } else if (at === '\\' && around !== '`' && !MARK.test(promql[i + 1] ?? '')) {
      restored += promql[++i] ?? '';
    } else if (at === around) {
      around = '';
    }
  }
  return restored;
}

function escaped(quote: string, around: string): string {
  if (around === '' || (quote !== around && quote !== '\n')) {
    return quote;
  }
  if (around === '#' || around === '`') {
    return around === '`' && quote === '\n' ? quote : ' '; // there is no escape
  }
  return quote === '\n' ? '\\n' : `\\${quote}`;
}
