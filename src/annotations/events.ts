import type { AnnotationQuery, DataFrame } from '@grafana/data';
import { config } from '@grafana/runtime';
import type { ListQuery } from '../platform/query';
import type { RunQuery } from '../runs/query';
import type { TrainingHealthQuery } from '../training/query';
import type { FineTuningQuery, GpuCloudQuery, MetricsQuery } from '../types';
import { fineTuningEvents } from './fineTuningEvents';
import { listEvents, type ListEvents } from './listEvents';
import { isMetricsQuery } from '../queryTypes';

/** A query whose result this plugin draws. PromQL's is drawn as by Grafana's Prometheus data source. */
export type DrawnQuery = FineTuningQuery | RunQuery | TrainingHealthQuery | ListQuery;

export function isListQuery(query: GpuCloudQuery): query is ListQuery {
  return query.queryType === 'platform';
}

/** True for PromQL annotations, and for those of an old Grafana, which have their expression beside a missing query. */
export function isPromQL(annotation: AnnotationQuery<GpuCloudQuery>): annotation is AnnotationQuery<MetricsQuery> {
  return !annotation.target || isMetricsQuery(annotation.target);
}

/**
 * The events of a query's result.
 *
 * @param iconColor the annotation's color as it is saved, which Grafana paints all events in that have no state
 */
export function eventsOf(query: DrawnQuery, frames: DataFrame[], iconColor: string): ListEvents {
  const color = config.theme2.visualization.getColorByName(iconColor);
  return isListQuery(query) ? listEvents(frames, color) : { events: fineTuningEvents(frames, color), notices: [] };
}
