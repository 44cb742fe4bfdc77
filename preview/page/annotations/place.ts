import { type AnnotationEvent } from '@grafana/data';
import { type PlotArea } from './usePlotArea';

/** An event as it is placed on a plot, in fractions of its width. */
export interface Placed {
  event: AnnotationEvent;
  start: number;
  end: number;
}

/** The events within the plot, the longest first, so that those on top of others are the shorter ones. */
export function place(events: AnnotationEvent[], { from, to }: PlotArea): Placed[] {
  const fraction = (time: number) => (time - from) / (to - from);
  return events
    .flatMap((event): Placed[] => {
      const { time = NaN, timeEnd = time } = event;
      const isVisible = timeEnd >= from && time <= to;
      return isVisible ? [{ event, start: Math.max(fraction(time), 0), end: Math.min(fraction(timeEnd), 1) }] : [];
    })
    .sort((a, b) => b.end - b.start - (a.end - a.start));
}

/** A fraction as CSS has it. */
export const percent = (fraction: number) => `${fraction * 100}%`;
