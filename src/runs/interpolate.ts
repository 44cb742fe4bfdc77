import { mapValues } from 'lodash';
import type { ScopedVars } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import { interpolateList } from '../saved/interpolate';
import { pickOwnFields } from '../saved/ownFields';
import type { RunQuery } from './query';

/** What fills dashboard variables into texts and into PromQL. */
export interface Templates {
  texts: TemplateSrv;
  /** As Grafana's Prometheus data source does it: several values become alternatives of a regular expression. */
  promql: (expr: string, scopedVars: ScopedVars) => string;
}

/** Options that hold PromQL, wherever they are in a query. */
const PROMQL = new Set(['expr', 'stepExpr', 'selector']);

/** What the backend fills into PromQL, even if a dashboard has a variable of that name. */
const OF_THE_BACKEND =
  /\$(?:(selector|run|duration|__interval|__interval_ms|__rate_interval)\b|\{(selector|run|duration)\})/g;

/**
 * Fills dashboard variables into every text of a query.
 *
 * In a list, a variable with several values becomes as many entries. `$selector`, `$run` and `$duration` are left to the
 * backend, which knows the runs. An expression that is empty is left out, and so is a training metric if the kind of the source,
 * which may be a variable, turns out to have none.
 */
export function interpolateRuns<Query extends RunQuery>(
  query: Query,
  templates: Templates,
  scopedVars: ScopedVars
): Query {
  const { refId, datasource, queryType, ...options } = pickOwnFields(query);
  const filled = fillAll(options as Pick<RunQuery, 'source'>, templates, scopedVars);
  const metric = filled.source.kind === 'fineTuning' ? {} : { metric: undefined };
  return { refId, datasource, queryType, ...filled, ...metric } as Query;
}

function fillAll<Options extends object>(options: Options, templates: Templates, scopedVars: ScopedVars): Options {
  return mapValues(options, (value: unknown, name: string) =>
    fill(value, name, templates, scopedVars)
  ) as unknown as Options;
}

function fill(value: unknown, name: string, templates: Templates, scopedVars: ScopedVars): unknown {
  if (typeof value === 'string') {
    return PROMQL.has(name)
      ? fillPromql(value, templates, scopedVars) || undefined
      : templates.texts.replace(value, scopedVars);
  }
  if (Array.isArray(value)) {
    return value.every((entry) => typeof entry === 'string')
      ? interpolateList(value, templates.texts, scopedVars)
      : value.map((entry: unknown) => fill(entry, name, templates, scopedVars));
  }
  return typeof value === 'object' && value !== null ? fillAll(value, templates, scopedVars) : value;
}

/** A character that nobody types, in the place of a dollar sign. */
const MARK = '\u0001';

function fillPromql(expr: string, { promql }: Templates, scopedVars: ScopedVars): string {
  const marked = expr.replace(
    OF_THE_BACKEND,
    (_, plain?: string, inBraces?: string) => `${MARK}${plain ?? inBraces}${MARK}`
  );
  return promql(marked, scopedVars).replace(new RegExp(`${MARK}(\\w+)${MARK}`, 'g'), '$$$1');
}
