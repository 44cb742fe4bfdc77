import type { DataFrame } from '@grafana/data';
import { config } from '@grafana/runtime';
import type { ListQuery } from '../types/list/query';
import type { GpuCloudQuery, TypedQuery } from '../types';
import { fineTuningEvents } from './fineTuningEvents';
import { listEvents, type ListEvents } from './listEvents';

export function isListQuery(query: GpuCloudQuery): query is ListQuery {
  return query.queryType === 'platform';
}

/**
 * The events of a query's result.
 *
 * @param iconColor the annotation's color as it is saved, which Grafana paints all events in that have no state
 */
export function eventsOf(query: TypedQuery, frames: DataFrame[], iconColor: string): ListEvents {
  const color = config.theme2.visualization.getColorByName(iconColor);
  return isListQuery(query) ? listEvents(frames, color) : { events: fineTuningEvents(frames, color), notices: [] };
}
