import { DataFrameView, FieldType, textUtil, type AnnotationEvent, type DataFrame } from '@grafana/data';

/** The events of a list, and notices about them. */
export interface ListEvents {
  events: AnnotationEvent[];
  notices: string[];
}

/**
 * Turns the rows of a list into events, by its columns time, timeEnd (or end), title, text, tags and id.
 *
 * Every event has an end: its beginning, if the row has none. Rows without a time are left out, which a notice says.
 * Titles and texts are escaped, because Grafana shows them as HTML.
 *
 * @param color the CSS color of all events
 */
export function listEvents(frames: DataFrame[], color: string): ListEvents {
  const read = frames.map((frame) => frameEvents(frame, color));
  const rows = frames.reduce((sum, frame) => sum + frame.length, 0);
  const events = read.flat();
  const dropped = rows - events.length;
  if (dropped === 0) {
    return { events, notices: [] };
  }
  const hasTimes = frames.some(({ fields }) => fields.some(({ name }) => name === 'time'));
  const notice = hasTimes
    ? `${dropped} of ${rows} rows have no time and are left out.`
    : 'No column is titled time. Give one that title, so that events can be drawn.';
  return { events, notices: [notice] };
}

function frameEvents(frame: DataFrame, color: string): AnnotationEvent[] {
  const view = new DataFrameView<Record<string, unknown>>(frame);
  const timeIn = (row: Record<string, unknown>, name: string) => toTime(row[name], view.fields[name]?.type);
  return view.toArray().flatMap((row): AnnotationEvent[] => {
    const time = timeIn(row, 'time');
    if (time === undefined) {
      return [];
    }
    const timeEnd = timeIn(row, 'timeEnd' in row ? 'timeEnd' : 'end') ?? time;
    const [title, text, tags, id] = ['title', 'text', 'tags', 'id'].map((name) => String(row[name] ?? ''));
    return [
      {
        time,
        timeEnd,
        isRegion: timeEnd !== time,
        title: textUtil.escapeHtml(title),
        text: textUtil.escapeHtml(text),
        tags: tagsIn(tags),
        // Grafana draws events with the same id once.
        id: id || [time, timeEnd, title, text, tags].join('|'),
        color,
      },
    ];
  });
}

/** Unix times from here on are milliseconds, as the backend has it: as seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;

/** Milliseconds since 1970. A column whose type is not time holds RFC 3339 or Unix times. */
function toTime(value: unknown, type?: FieldType): number | undefined {
  if (typeof value === 'string') {
    const time = Date.parse(value);
    return Number.isNaN(time) ? undefined : time;
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return undefined;
  }
  return type === FieldType.time || Math.abs(value) >= MILLISECONDS_FROM ? value : value * 1000;
}

/** Tags of a list in JSON, or separated by commas. */
function tagsIn(text: string): string[] {
  return listIn(text)
    .map((tag) => String(tag).trim())
    .filter(Boolean);
}

function listIn(text: string): unknown[] {
  if (text.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(text);
      return Array.isArray(list) ? list : [];
    } catch {
      // Not JSON, but text that begins with a bracket.
    }
  }
  return text.split(',');
}
