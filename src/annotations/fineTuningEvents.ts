import type { AnnotationEvent, DataFrame } from '@grafana/data';
import { config } from '@grafana/runtime';

/**
 * Turns the backend's annotation frames into events for Grafana, which has its own colour for each: that of its job's
 * status.
 *
 * A frame has the fields time, timeEnd, title, text, tags (joined by commas), id and color (a named colour of Grafana).
 * An event whose end is not its beginning is a region.
 */
export function fineTuningEvents(frames: DataFrame[]): AnnotationEvent[] {
  return frames.flatMap((frame) => {
    const column = (name: string): unknown[] => frame.fields.find((field) => field.name === name)?.values ?? [];
    const [ends, titles, texts, tags, ids, colors] = ['timeEnd', 'title', 'text', 'tags', 'id', 'color'].map(column);

    return column('time').flatMap((time, row): AnnotationEvent[] => {
      if (typeof time !== 'number') {
        return [];
      }
      const end = ends[row];
      const timeEnd = typeof end === 'number' ? end : time;
      return [
        {
          time,
          timeEnd,
          isRegion: timeEnd !== time,
          title: text(titles[row]),
          text: text(texts[row]),
          tags: text(tags[row]).split(',').filter(Boolean),
          id: text(ids[row]),
          color: config.theme2.visualization.getColorByName(text(colors[row]) || 'gray'),
        },
      ];
    });
  });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
