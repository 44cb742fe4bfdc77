import React, { useLayoutEffect, useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { useMeasure } from 'react-use';
import { css } from '@emotion/css';
import {
  type AnnotationEvent,
  type DataFrame,
  FieldType,
  type GrafanaTheme2,
  LoadingState,
  outerJoinDataFrames,
  type PanelData,
} from '@grafana/data';
import { type VizLegendOptions } from '@grafana/schema';
import { Alert, LegendDisplayMode, PanelChrome, TimeSeries, type UPlotConfigBuilder, useTheme2 } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { errorText } from '../query';
import { prepareFrames } from './frames';

const legend: VizLegendOptions = {
  showLegend: true,
  displayMode: LegendDisplayMode.List,
  placement: 'bottom',
  calcs: [],
};

interface Props {
  data: PanelData;
  /** What is drawn over the graph, in whose place there is no table then. */
  events: AnnotationEvent[];
  /** Why events are missing. */
  failures: string[];
}

/** The result of a query: errors and notices, then its frames as a graph and as a table. */
export function Results({ data, events, failures }: Props) {
  const theme = useTheme2();
  const { series, errors = [], state } = data;
  const frames = useMemo(() => prepareFrames(series, theme), [series, theme]);
  const graph = frames.filter(
    (frame) => !isForTable(frame) && has(frame, FieldType.time) && has(frame, FieldType.number)
  );
  const table = useMemo(() => tableFrame(frames), [frames]);
  const notices = frames.flatMap((frame) => frame.meta?.notices ?? []);
  return (
    <>
      {[...new Set(errors.map(errorText))].map((sentence) => (
        <Alert key={sentence} severity="error" title={sentence} />
      ))}
      {[...new Set([...failures, ...notices.map(({ text }) => text)])].map((text) => (
        <Alert key={text} severity="warning" title={text} />
      ))}
      {frames.every(({ length }) => length === 0) && errors.length === 0 && state === LoadingState.Done && (
        <p>No data</p>
      )}
      {graph.length > 0 && (
        <Panel title="Graph" state={state}>
          {(size) => (
            <TimeSeries {...size} frames={graph} timeRange={data.timeRange} timeZone="browser" legend={legend}>
              {(builder) => <Annotations builder={builder} events={events} />}
            </TimeSeries>
          )}
        </Panel>
      )}
      {events.length === 0 && table && table.length > 0 && (
        <Panel title="Table" state={state}>
          {(size) => <TableNG {...size} ariaLabel="Result" data={table} enableVirtualization />}
        </Panel>
      )}
    </>
  );
}

/** A data source can say that a frame is to be read, not drawn. */
const isForTable = ({ meta }: DataFrame) => ['table', 'rawPrometheus'].includes(meta?.preferredVisualisationType ?? '');

/** One table of a result: what the data source made for a table, else its series side by side. */
function tableFrame(frames: DataFrame[]): DataFrame | undefined {
  const tables = frames.filter(isForTable);
  const shown = tables.length > 0 ? tables : frames;
  return shown.length > 1 ? outerJoinDataFrames({ frames: shown }) : shown[0];
}

const has = (frame: DataFrame, type: FieldType) => frame.fields.some((field) => field.type === type);

interface PanelProps {
  title: string;
  state: LoadingState;
  children: (size: { width: number; height: number }) => React.ReactElement;
}

function Panel({ title, state, children }: PanelProps) {
  const [container, { width }] = useMeasure<HTMLDivElement>();
  return (
    <div ref={container}>
      {width > 0 && (
        <PanelChrome title={title} loadingState={state} width={width} height={HEIGHT} padding="none">
          {(innerWidth, innerHeight) => children({ width: innerWidth, height: innerHeight })}
        </PanelChrome>
      )}
    </div>
  );
}

const HEIGHT = 400;

/** Annotations over a graph: regions and lines, each a button that has the text of the event. */
function Annotations({ builder, events }: { builder: UPlotConfigBuilder; events: AnnotationEvent[] }) {
  const styles = getStyles(useTheme2());
  const [plot, setPlot] = useState<{ over: HTMLElement; from: number; to: number }>();
  // Before the graph is made, which its own effect does after those of its children.
  useLayoutEffect(() => {
    builder.addHook('draw', ({ over, scales }) => {
      const { min: from = 0, max: to = 0 } = scales.x;
      setPlot((last) => (last?.over === over && last.from === from && last.to === to ? last : { over, from, to }));
    });
    builder.addHook('destroy', () => setPlot(undefined));
  }, [builder]);
  if (!plot) {
    return null;
  }
  const { over, from, to } = plot;
  const percent = (time: number) => (100 * (Math.min(Math.max(time, from), to) - from)) / (to - from);
  const marks = events.flatMap(({ id, time = NaN, timeEnd = time, isRegion, color, ...event }) => {
    const [title, text] = [plainText(event.title), plainText(event.text)];
    const width = `${percent(timeEnd) - percent(time)}%`;
    return timeEnd >= from && time <= to ? (
      <button
        key={id ?? `${time} ${title}`}
        type="button"
        aria-label={`${isRegion ? 'Region' : 'Mark'}: ${title || text}`}
        title={[title, text, ...(event.tags ?? [])].join('\n')}
        className={styles}
        style={{ left: `${percent(time)}%`, width, color }}
      />
    ) : (
      []
    );
  });
  return createPortal(marks, over);
}

/** Titles and texts of annotations are HTML in Grafana. This is what a reader sees of it. */
const plainText = (html = '') => new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '';

const getStyles = (theme: GrafanaTheme2) =>
  css({
    position: 'absolute',
    top: 0,
    bottom: 0,
    padding: 0,
    border: 'none',
    borderLeft: '1px dashed currentColor',
    borderBottom: `${theme.spacing(0.75)} solid currentColor`,
    background: 'none',
  });
