import { buildVisualQueryFromString, PromQueryModeller } from '@grafana/prometheus';
import type { MetricGroup, StarterQuery } from '../../catalog/metrics/types.ts';
import type { MetricsQuery } from '../../types';

/** Puts a query of the catalog in the place of another. What can't be shown as blocks opens as code. */
export function insertQuery(
  query: MetricsQuery,
  { expr, legend }: Pick<StarterQuery, 'expr' | 'legend'>,
  interval: MetricGroup['interval']
): MetricsQuery {
  return {
    ...query,
    expr,
    legendFormat: legend ?? query.legendFormat,
    // The data source's own shortest step fits all others.
    interval: interval === '5m' ? interval : undefined,
    ...(!fitsBuilder(expr) && { editorMode: 'code' as MetricsQuery['editorMode'] }),
  };
}

/** The builder drops what it has no block for, at times without saying so. */
function fitsBuilder(expr: string): boolean {
  const { query, errors } = buildVisualQueryFromString(expr);
  const bare = (text: string) => text.replace(/\s/g, '');
  return errors.length === 0 && bare(new PromQueryModeller().renderQuery(query)) === bare(expr);
}
