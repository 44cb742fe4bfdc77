import type { ScopedVars } from '@grafana/data';
import type { Templates } from '../runs/interpolate';
import { interpolate } from '../saved/interpolate';
import type { TrainingHealthQuery } from './query';

/** Fills dashboard variables into every option: into the expression as Grafana's Prometheus data source does. */
export function interpolateTraining(
  query: TrainingHealthQuery,
  { texts, promql }: Templates,
  scopedVars: ScopedVars
): TrainingHealthQuery {
  const { expr, ...options } = query;
  const filled = interpolate(options, texts, scopedVars);
  return expr?.trim() ? { ...filled, expr: promql(expr, scopedVars) } : filled;
}
