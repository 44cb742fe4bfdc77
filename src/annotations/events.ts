import { DataFrameView, textUtil, type AnnotationEvent, type DataFrame } from '@grafana/data';
import { config } from '@grafana/runtime';
import { t } from '../i18n';
import type { ListQuery } from '../types/list/query';
import type { GpuCloudQuery, TypedQuery } from '../types';

/**
 * Grafana paints every event in the color of its annotation instead of `color`, except those with one of the states
 * of an alert. So an event takes the state that is painted in its own color. Colors that no state has, such as the blue
 * of running jobs and the orange of paused ones, become the annotation's: a new annotation is blue.
 */
const STATE_PAINTED: Record<string, string | undefined> = {
  red: 'alerting',
  green: 'ok',
  yellow: 'pending',
  gray: 'no_data',
};

/** A row of the backend's annotations, which has all of it, or of a list, which has what its columns are titled. */
interface Row {
  /** Milliseconds since 1970. */
  time?: unknown;
  timeEnd?: unknown;
  title?: string;
  text?: string;
  /** Joined by commas, or a list in JSON. */
  tags?: string;
  id?: string;
  /** A named color of Grafana. */
  color?: string;
}

export function isListQuery(query: GpuCloudQuery): query is ListQuery {
  return query.queryType === 'platform';
}

/**
 * The events of a query's result, and notices about them. An event whose end is not its beginning is a region. Rows without a time
 * are left out, which a notice says. What a list has is shown as it is: Grafana takes titles and texts for HTML.
 *
 * @param iconColor the annotation's color as it is saved, which Grafana paints all events in that have no state
 */
export function eventsOf(
  query: TypedQuery,
  frames: DataFrame[],
  iconColor: string
): { events: AnnotationEvent[]; notices: string[] } {
  const html = isListQuery(query) ? textUtil.escapeHtml : (text: string) => text;
  const rows = frames.flatMap((frame) => new DataFrameView<Row>(frame).toArray());
  const events = rows.flatMap((row) => eventOf(row, iconColor, html));
  const dropped = rows.length - events.length;
  if (dropped === 0) {
    return { events, notices: [] };
  }
  const notice =
    events.length > 0
      ? t('{{dropped}} of {{count}} rows have no time and are left out.', { dropped, count: rows.length })
      : t('No column of the type time is titled time. Give one that title, so that events can be drawn.');
  return { events, notices: [notice] };
}

function eventOf(row: Row, iconColor: string, html: (text: string) => string): AnnotationEvent[] {
  const { time, title, text, tags, id, color = '' } = row;
  if (typeof time !== 'number') {
    return [];
  }
  const timeEnd = typeof row.timeEnd === 'number' ? row.timeEnd : time;
  const newState = STATE_PAINTED[color];
  return [
    {
      time,
      timeEnd,
      isRegion: timeEnd !== time,
      title: html(String(title ?? '')),
      text: html(String(text ?? '')),
      tags: String(tags ?? '')
        .split(/[,[\]"]/)
        .map((tag) => tag.trim())
        .filter(Boolean),
      // Grafana draws events with the same id once.
      id: id || [time, timeEnd, title, text, tags].join('|'),
      color: config.theme2.visualization.getColorByName(newState ? color : iconColor),
      newState,
    },
  ];
}
