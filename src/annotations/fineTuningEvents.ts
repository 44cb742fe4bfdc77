import type { AnnotationEvent, DataFrame } from '@grafana/data';
import { config } from '@grafana/runtime';

/**
 * Grafana paints every event in the color of its annotation, whatever `color` says, except those with one of the states
 * of an alert. So an event takes the state that is painted in its own color. Colors that no state has, such as the blue
 * of running jobs and the orange of paused ones, become the annotation's: a new annotation is blue.
 */
const STATE_PAINTED: Record<string, string | undefined> = {
  red: 'alerting',
  green: 'ok',
  yellow: 'pending',
  gray: 'no_data',
};

/**
 * Turns the backend's annotation frames into events for Grafana, each with the color that Grafana paints it in.
 *
 * A frame has the fields time, timeEnd, title, text, tags (joined by commas), id and color (a named color of Grafana).
 * An event whose end is not its beginning is a region.
 *
 * @param annotationColor the CSS color of the annotation
 */
export function fineTuningEvents(frames: DataFrame[], annotationColor: string): AnnotationEvent[] {
  return frames.flatMap((frame) => {
    const column = (name: string): unknown[] => frame.fields.find((field) => field.name === name)?.values ?? [];
    const [ends, titles, texts, tags, ids, colors] = ['timeEnd', 'title', 'text', 'tags', 'id', 'color'].map(column);

    return column('time').flatMap((time, row): AnnotationEvent[] => {
      if (typeof time !== 'number') {
        return [];
      }
      const end = ends[row];
      const timeEnd = typeof end === 'number' ? end : time;
      const color = text(colors[row]) || 'gray';
      const newState = STATE_PAINTED[color];
      return [
        {
          time,
          timeEnd,
          isRegion: timeEnd !== time,
          title: text(titles[row]),
          text: text(texts[row]),
          tags: text(tags[row]).split(',').filter(Boolean),
          id: text(ids[row]),
          color: newState ? config.theme2.visualization.getColorByName(color) : annotationColor,
          newState,
        },
      ];
    });
  });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
