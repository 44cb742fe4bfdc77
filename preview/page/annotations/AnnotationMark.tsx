import React, { useMemo } from 'react';
import { css, cx } from '@emotion/css';
import { type GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import { type Pointed } from './AnnotationTooltip';
import { percent, type Placed } from './place';
import { plainText } from './plainText';

interface Props extends Placed {
  onPoint: (pointed: Pointed | undefined) => void;
}

/** What can be pointed at of an annotation: a bar as long as a region, or a triangle at a point in time. */
export function AnnotationMark({ event, start, end, onPoint }: Props) {
  const styles = useStyles2(getStyles);
  const label = useMemo(() => plainText(event.title) || plainText(event.text), [event]);
  const pointAt = ({ currentTarget }: React.SyntheticEvent<HTMLElement>, x?: number) => {
    const { left, bottom } = currentTarget.getBoundingClientRect();
    onPoint({ event, x: x ?? left, y: bottom });
  };
  return (
    <button
      type="button"
      aria-label={`${event.isRegion ? 'Region' : 'Mark'}: ${label}`}
      className={cx(styles.mark, event.isRegion ? styles.bar : styles.triangle)}
      style={event.isRegion ? regionStyle(start, end, event.color) : { left: percent(start), color: event.color }}
      onMouseMove={(mouse) => pointAt(mouse, mouse.clientX)}
      onMouseLeave={() => onPoint(undefined)}
      onFocus={pointAt}
      onBlur={() => onPoint(undefined)}
    />
  );
}

const regionStyle = (start: number, end: number, color?: string): React.CSSProperties => ({
  left: percent(start),
  width: percent(end - start),
  background: color,
});

const getStyles = (theme: GrafanaTheme2) => ({
  mark: css({
    position: 'absolute',
    padding: 0,
    border: 'none',
    pointerEvents: 'auto',
    cursor: 'default',
  }),
  bar: css({
    top: '100%',
    height: theme.spacing(0.75),
    minWidth: theme.spacing(0.25),
    borderRadius: theme.shape.radius.default,
    // Bars that overlap stay apart.
    boxShadow: `0 0 0 1px ${theme.colors.background.primary}`,
  }),
  triangle: css({
    bottom: 0,
    width: theme.spacing(1.25),
    height: theme.spacing(1),
    transform: 'translateX(-50%)',
    background: 'currentColor',
    clipPath: 'polygon(50% 0, 100% 100%, 0 100%)',
  }),
});
