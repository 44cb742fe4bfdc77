import { DataFrameView, type AnnotationEvent, type DataFrame } from '@grafana/data';
import { config } from '@grafana/runtime';

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

/** A row of the backend's annotation frames (`pkg/jobs/annotations_query.go`). Times are milliseconds since 1970. */
interface Row {
  time: number;
  timeEnd: number;
  title: string;
  text: string;
  /** Joined by commas. */
  tags: string;
  id: string;
  /** A named color of Grafana. */
  color: string;
}

/**
 * Turns the backend's annotation frames into events for Grafana, each with the color that Grafana paints it in.
 *
 * An event whose end is not its beginning is a region. Frames of other query types have no times, and so no events.
 *
 * @param annotationColor the CSS color of the annotation
 */
export function fineTuningEvents(frames: DataFrame[], annotationColor: string): AnnotationEvent[] {
  return frames
    .filter(({ fields }) => fields.some(({ name }) => name === 'time'))
    .flatMap((frame) => new DataFrameView<Row>(frame).toArray())
    .map(({ time, timeEnd = time, title, text, tags, id, color }) => {
      const newState = STATE_PAINTED[color];
      return {
        time,
        timeEnd,
        isRegion: timeEnd !== time,
        title,
        text,
        tags: tags.split(',').filter(Boolean),
        id,
        color: newState ? config.theme2.visualization.getColorByName(color) : annotationColor,
        newState,
      };
    });
}
