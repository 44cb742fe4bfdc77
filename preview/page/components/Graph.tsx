import React, { useMemo } from 'react';
import { useMeasure } from 'react-use';
import { css } from '@emotion/css';
import { type DataFrame, type FieldConfig, type RawTimeRange, type TimeRange, dateTime } from '@grafana/data';
import { LegendDisplayMode, TooltipPlugin2, TimeSeries, useTheme2, type UPlotConfigBuilder } from '@grafana/ui';
import { type VizLegendOptions } from '@grafana/schema';
import { prepareFrames } from '../data/frames';
import { GraphTooltip } from './GraphTooltip';

/** Hovering anywhere shows every series at that time. `@grafana/ui` has no public name for it. */
const ALL_SERIES_AT_X = 1;

const legends: Record<'list' | 'table', VizLegendOptions> = {
  list: { showLegend: true, displayMode: LegendDisplayMode.List, placement: 'bottom', calcs: [] },
  table: {
    showLegend: true,
    displayMode: LegendDisplayMode.Table,
    placement: 'bottom',
    calcs: ['mean', 'max', 'lastNotNull'],
  },
};

interface Props {
  frames: DataFrame[];
  timeRange: TimeRange;
  /** Unit, limits and the like, for series whose own configuration doesn't say. */
  defaults?: FieldConfig;
  /** Names side by side, or a row for each series with its statistics. */
  legend: keyof typeof legends;
  /** Called with the part of the time axis that was dragged over. */
  onZoom: (range: RawTimeRange) => void;
  /** Further layers of the plot, for marks and regions; they add their hooks to the builder. */
  layers?: (builder: UPlotConfigBuilder) => React.ReactNode;
}

/** A time series graph with axes, tooltip, zoom and legend, as wide and high as its parent. */
export function Graph({ frames, timeRange, defaults, legend, onZoom, layers }: Props) {
  const theme = useTheme2();
  const [container, { width, height }] = useMeasure<HTMLDivElement>();
  const prepared = useMemo(() => prepareFrames(frames, theme, defaults), [frames, theme, defaults]);

  return (
    <div ref={container} className={fill}>
      {width > 0 && (
        <TimeSeries
          frames={prepared}
          width={width}
          height={height}
          timeRange={timeRange}
          timeZone="browser"
          legend={legends[legend]}
        >
          {(builder, aligned) => (
            <>
              <TooltipPlugin2
                config={builder}
                hoverMode={ALL_SERIES_AT_X}
                queryZoom={({ from, to }) => onZoom({ from: dateTime(from), to: dateTime(to) })}
                render={(_plot, indexes, _series, isPinned) => (
                  <GraphTooltip frame={aligned} indexes={indexes} isPinned={isPinned} />
                )}
              />
              {layers?.(builder)}
            </>
          )}
        </TimeSeries>
      )}
    </div>
  );
}

const fill = css({ width: '100%', height: '100%' });
