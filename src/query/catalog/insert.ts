import { rangeUtil } from '@grafana/data';
import { buildVisualQueryFromString, PromQueryModeller } from '@grafana/prometheus';
import { once } from 'lodash';
import type { MetricGroup, StarterQuery } from '../../catalog/metrics/types.ts';
import { durationError } from '../../config/validation';
import type { MetricsQuery } from '../../types';

type Editor = MetricsQuery['editorMode'];

/**
 * Puts a query of the catalog in the place of another. It stays in the editor that it is in, unless it can't be shown as blocks:
 * Prometheus' editor takes code for a query that does not say.
 *
 * @param newEditor of queries that are new
 */
export function insertQuery(
  query: MetricsQuery,
  { expr, legend }: Pick<StarterQuery, 'expr' | 'legend'>,
  interval: MetricGroup['interval'],
  newEditor = 'builder' as Editor
): MetricsQuery {
  const editor = query.editorMode ?? (query.expr ? ('code' as Editor) : newEditor);
  return {
    ...query,
    expr,
    legendFormat: legend,
    // The data source's own shortest step fits all others.
    interval: interval === '5m' ? longer(interval, query.interval) : query.interval,
    editorMode: fitsBuilder(expr) ? editor : ('code' as Editor),
  };
}

/** The longer of a step and of one that was entered, if that is a duration. */
function longer(step: string, entered = ''): string {
  const isLonger =
    durationError(entered) === undefined && rangeUtil.intervalToMs(entered) > rangeUtil.intervalToMs(step);
  return isLonger ? entered : step;
}

/** Making one translates the description of every function, which takes longer than all else that an insertion does. */
const modeller = once(() => new PromQueryModeller());

/** The builder drops what it has no block for, at times without saying so. */
function fitsBuilder(expr: string): boolean {
  const { query, errors } = buildVisualQueryFromString(expr);
  const bare = (text: string) => text.replace(/\s/g, '');
  return errors.length === 0 && bare(modeller().renderQuery(query)) === bare(expr);
}
