import { useLayoutEffect, useState } from 'react';
import { type UPlotConfigBuilder } from '@grafana/ui';

/** Where a graph's lines are drawn: the element around it, its place in there in pixels, and the times at its edges. */
export interface PlotArea {
  parent: HTMLElement;
  left: number;
  top: number;
  width: number;
  height: number;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
}

/** Follows a graph's plot area, which changes with the graph's size, its axes and the time range. */
export function usePlotArea(builder: UPlotConfigBuilder): PlotArea | undefined {
  const [area, setArea] = useState<PlotArea>();

  // Before the graph is made, which its own effect does after those of its children.
  useLayoutEffect(() => {
    builder.addHook('draw', ({ over, scales }) => {
      const parent = over.parentElement;
      const { min, max } = scales.x;
      if (!parent || min === undefined || min === null || max === undefined || max === null) {
        return;
      }
      const { offsetLeft: left, offsetTop: top, clientWidth: width, clientHeight: height } = over;
      const next: PlotArea = { parent, left, top, width, height, from: min, to: max };
      setArea((previous) => (previous && isSame(previous, next) ? previous : next));
    });
    builder.addHook('destroy', () => setArea(undefined));
  }, [builder]);

  return area;
}

function isSame(a: PlotArea, b: PlotArea): boolean {
  return (Object.keys(a) as Array<keyof PlotArea>).every((key) => a[key] === b[key]);
}
