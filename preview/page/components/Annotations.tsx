import React, { useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { css } from '@emotion/css';
import { type AnnotationEvent, colorManipulator, type GrafanaTheme2 } from '@grafana/data';
import { Tooltip, type UPlotConfigBuilder, useStyles2 } from '@grafana/ui';

interface Props {
  builder: UPlotConfigBuilder;
  events: AnnotationEvent[];
}

/** A plot, with the times at its edges. */
interface Plot {
  over: HTMLElement;
  from: number;
  to: number;
}

/** Annotations over a graph: regions and lines, each with a mark at its foot that has the text of the event. */
export function Annotations({ builder, events }: Props) {
  const styles = useStyles2(getStyles);
  const [plot, setPlot] = useState<Plot>();
  // Before the graph is made, which its own effect does after those of its children.
  useLayoutEffect(() => {
    builder.addHook('draw', ({ over, scales }) => {
      const { min: from, max: to } = scales.x;
      if (typeof from === 'number' && typeof to === 'number') {
        setPlot((last) => (last?.over === over && last.from === from && last.to === to ? last : { over, from, to }));
      }
    });
    builder.addHook('destroy', () => setPlot(undefined));
  }, [builder]);
  if (!plot) {
    return null;
  }
  const { over, from, to } = plot;
  const percent = (time: number) => (100 * (Math.min(Math.max(time, from), to) - from)) / (to - from);
  return createPortal(
    events.map(({ id, time = NaN, timeEnd = time, isRegion, color, ...event }) => {
      if (!(timeEnd >= from && time <= to)) {
        return null;
      }
      const [title, text] = [plainText(event.title), plainText(event.text)];
      const place = { left: `${percent(time)}%`, width: `${percent(timeEnd) - percent(time)}%`, color };
      const background = isRegion && color ? colorManipulator.alpha(color, 0.04) : undefined;
      return (
        <React.Fragment key={id ?? `${time} ${title}`}>
          <div className={styles.span} style={{ ...place, background }} />
          <Tooltip content={<div className={styles.text}>{[title, text, ...(event.tags ?? [])].join('\n')}</div>}>
            <button
              type="button"
              aria-label={`${isRegion ? 'Region' : 'Mark'}: ${title || text}`}
              className={styles.mark}
              style={place}
            />
          </Tooltip>
        </React.Fragment>
      );
    }),
    over
  );
}

/** Titles and texts of annotations are HTML in Grafana. This is what a reader sees of it. */
function plainText(html = ''): string {
  return new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '';
}

const getStyles = (theme: GrafanaTheme2) => ({
  span: css({
    position: 'absolute',
    top: 0,
    bottom: 0,
    borderLeft: '1px dashed currentColor',
    borderRight: '1px dashed currentColor',
    pointerEvents: 'none',
  }),
  mark: css({
    position: 'absolute',
    bottom: 0,
    minWidth: theme.spacing(0.75),
    height: theme.spacing(0.75),
    padding: 0,
    border: 'none',
    background: 'currentColor',
  }),
  text: css({ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }),
});
