import React, { useContext, useMemo } from 'react';
import { useMeasure } from 'react-use';
import { css } from '@emotion/css';
import { type DataFrame } from '@grafana/data';
import { useTheme2 } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { prepareFrames } from '../data/frames';
import { withLinks } from '../data/links';
import { OpenQuery } from './OpenQuery';

/** A frame as Grafana's table panel shows it, as wide and high as its parent. */
export function ResultTable({ frame }: { frame: DataFrame }) {
  const theme = useTheme2();
  const [container, { width, height }] = useMeasure<HTMLDivElement>();
  const openQuery = useContext(OpenQuery);
  const prepared = useMemo(() => withLinks(prepareFrames([frame], theme)[0], openQuery), [frame, theme, openQuery]);

  return (
    <div ref={container} className={fill}>
      <div className={inFront}>
        {width > 0 && <TableNG ariaLabel="Result" data={prepared} width={width} height={height} enableVirtualization />}
      </div>
    </div>
  );
}

const fill = css({ position: 'relative', width: '100%', height: '100%' });
/** The table's height follows its parent's, which is not to follow the table's. */
const inFront = css({ position: 'absolute', inset: 0 });
