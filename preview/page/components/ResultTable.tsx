import React, { useMemo } from 'react';
import { useMeasure } from 'react-use';
import { css } from '@emotion/css';
import { type DataFrame } from '@grafana/data';
import { useTheme2 } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { prepareFrames } from '../data/frames';

/** A frame as Grafana's table panel shows it, as wide and high as its parent. */
export function ResultTable({ frame }: { frame: DataFrame }) {
  const theme = useTheme2();
  const [container, { width, height }] = useMeasure<HTMLDivElement>();
  const [prepared] = useMemo(() => prepareFrames([frame], theme), [frame, theme]);

  return (
    <div ref={container} className={fill}>
      {width > 0 && <TableNG ariaLabel="Result" data={prepared} width={width} height={height} enableVirtualization />}
    </div>
  );
}

const fill = css({ width: '100%', height: '100%' });
