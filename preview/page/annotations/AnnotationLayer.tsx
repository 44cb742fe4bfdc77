import React, { useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { css } from '@emotion/css';
import { type AnnotationEvent, colorManipulator, type GrafanaTheme2 } from '@grafana/data';
import { type UPlotConfigBuilder, useStyles2 } from '@grafana/ui';
import { AnnotationMark } from './AnnotationMark';
import { AnnotationTooltip, type Pointed } from './AnnotationTooltip';
import { percent, place, type Placed } from './place';
import { usePlotArea } from './usePlotArea';

interface Props {
  builder: UPlotConfigBuilder;
  events: AnnotationEvent[];
}

/**
 * Annotations over a graph, as Grafana draws them: a region is shaded and has a bar below it, a point in time is a dashed
 * line with a triangle at its foot. Bars and triangles show their text when they are pointed at.
 */
export function AnnotationLayer({ builder, events }: Props) {
  const styles = useStyles2(getStyles);
  const area = usePlotArea(builder);
  const [pointed, setPointed] = useState<Pointed>();
  const placed = useMemo(() => (area ? place(events, area) : []), [events, area]);
  if (!area) {
    return null;
  }
  const { left, top, width, height, parent } = area;
  return createPortal(
    <div className={styles.layer} style={{ left, top, width, height }}>
      {placed.map((item) => (
        <Shade key={keyOf(item)} {...item} isPointed={item.event === pointed?.event} />
      ))}
      {placed.map((item) => (
        <AnnotationMark key={keyOf(item)} {...item} onPoint={setPointed} />
      ))}
      {pointed && <AnnotationTooltip {...pointed} />}
    </div>,
    parent
  );
}

/** Several regions lie over one another, so each is pale until it is pointed at. */
function Shade({ event, start, end, isPointed }: Placed & { isPointed: boolean }) {
  const styles = useStyles2(getStyles);
  const { color } = event;
  return event.isRegion ? (
    <div
      className={styles.region}
      style={{
        left: percent(start),
        width: percent(end - start),
        background: color && colorManipulator.alpha(color, isPointed ? 0.3 : 0.04),
        borderColor: color && colorManipulator.alpha(color, 0.4),
      }}
    />
  ) : (
    <div className={styles.line} style={{ left: percent(start), borderColor: color }} />
  );
}

const keyOf = ({ event }: Placed) => event.id ?? `${event.time} ${event.title}`;

const getStyles = (theme: GrafanaTheme2) => ({
  layer: css({ position: 'absolute', pointerEvents: 'none', zIndex: 1 }),
  region: css({ position: 'absolute', top: 0, bottom: 0, borderLeft: '1px dashed', borderRight: '1px dashed' }),
  line: css({ position: 'absolute', top: 0, bottom: 0, borderLeft: `1px dashed ${theme.colors.border.strong}` }),
});
