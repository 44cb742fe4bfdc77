import type { DataFrame } from '@grafana/data';
import { config } from '@grafana/runtime';
import type { ListQuery } from '../platform/query';
import type { FineTuningQuery, GpuCloudQuery } from '../types';
import { fineTuningEvents } from './fineTuningEvents';
import { listEvents, type ListEvents } from './listEvents';

/** A query whose answer is drawn by this plugin. PromQL's is drawn as by Grafana's Prometheus data source. */
export type DrawnQuery = FineTuningQuery | ListQuery;

export function isListQuery(query: GpuCloudQuery): query is ListQuery {
  return query.queryType === 'platform';
}

/**
 * What is drawn of a query's answer.
 *
 * @param iconColor the annotation's colour as it is saved, for lists; jobs have the colours of their statuses
 */
export function eventsOf(query: DrawnQuery, frames: DataFrame[], iconColor: string): ListEvents {
  return isListQuery(query)
    ? listEvents(frames, config.theme2.visualization.getColorByName(iconColor))
    : { events: fineTuningEvents(frames), notices: [] };
}
