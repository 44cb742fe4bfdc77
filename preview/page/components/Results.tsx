import React, { useContext, useMemo } from 'react';
import { useMeasure } from 'react-use';
import { css } from '@emotion/css';
import {
  type AnnotationEvent,
  type DataFrame,
  type FieldConfig,
  FieldType,
  formattedValueToString,
  getFieldDisplayName,
  type GrafanaTheme2,
  LoadingState,
  type PanelData,
  type QueryResultMetaNotice,
} from '@grafana/data';
import { type VizLegendOptions } from '@grafana/schema';
import { Alert, EmptyState, LegendDisplayMode, PanelChrome, TimeSeries, useStyles2, useTheme2 } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { graphFrames, noticesOf, numberFrames, prepareFrames, tableFrame } from '../data/frames';
import { OpenQuery, withLinks } from '../data/links';
import { errorText } from '../data/runQuery';
import { Annotations } from './Annotations';

const legend: VizLegendOptions = {
  showLegend: true,
  displayMode: LegendDisplayMode.List,
  placement: 'bottom',
  calcs: [],
};

interface Props {
  data: PanelData;
  /** The heading of the graph. */
  title?: string;
  /** Unit, limits and the like, for series whose own configuration doesn't say. */
  defaults?: FieldConfig;
  /** What is drawn over the graph, in whose place there is no table then. */
  annotations?: AnnotationEvent[];
}

/** The result of a query: errors and notices, then its frames as a graph, as numbers and as a table. */
export function Results({ data, title = 'Graph', defaults, annotations }: Props) {
  const styles = useStyles2(getStyles);
  const { series, errors = [] } = data;
  const graph = useMemo(() => graphFrames(series), [series]);
  const numbers = useMemo(() => numberFrames(series), [series]);
  const hasTable = numbers.length === 0 && !annotations;
  const table = useMemo(() => (hasTable ? tableFrame(series) : undefined), [hasTable, series]);
  const isEmpty = graph.length === 0 && numbers.length === 0 && !table?.length;
  return (
    <>
      <Notices errors={errors.map(errorText)} notices={noticesOf(series)} />
      {isEmpty && errors.length === 0 && data.state === LoadingState.Done && (
        <EmptyState variant="not-found" message="No data" />
      )}
      {graph.length > 0 && (
        <div className={styles.graph}>
          <PanelChrome title={title} loadingState={data.state}>
            <Graph frames={graph} data={data} defaults={defaults} annotations={annotations} />
          </PanelChrome>
        </div>
      )}
      {numbers.length > 0 && (
        <PanelChrome title="Numbers" loadingState={data.state}>
          <Numbers frames={numbers} />
        </PanelChrome>
      )}
      {table && table.length > 0 && (
        <div className={styles.table}>
          <PanelChrome title="Table" loadingState={data.state} padding="none">
            <Table frame={table} />
          </PanelChrome>
        </div>
      )}
    </>
  );
}

export function Notices({ errors = [], notices = [] }: { errors?: string[]; notices?: QueryResultMetaNotice[] }) {
  if (errors.length === 0 && notices.length === 0) {
    return null;
  }
  // Two runs of one query, as range and as instant, fail with the same sentence.
  return (
    <div>
      {[...new Set(errors)].map((sentence) => (
        <Alert key={sentence} severity="error" title="Query error">
          {sentence}
        </Alert>
      ))}
      {notices.map(({ text, severity }) => (
        <Alert key={text} severity={severity} title={text} />
      ))}
    </div>
  );
}

interface GraphProps extends Required<Pick<Props, 'data'>>, Pick<Props, 'defaults' | 'annotations'> {
  frames: DataFrame[];
}

function Graph({ frames, data, defaults = lines, annotations = [] }: GraphProps) {
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
          timeRange={data.timeRange}
          timeZone="browser"
          legend={legend}
        >
          {(builder) => <Annotations builder={builder} events={annotations} />}
        </TimeSeries>
      )}
    </div>
  );
}

/** Labeled numbers, as a stat panel or an alert rule takes them. */
function Numbers({ frames }: { frames: DataFrame[] }) {
  const theme = useTheme2();
  const prepared = useMemo(() => prepareFrames(frames, theme), [frames, theme]);
  return (
    <ul>
      {prepared.flatMap((frame) =>
        frame.fields
          .filter(({ type }) => type === FieldType.number)
          .map((field) => {
            const name = getFieldDisplayName(field, frame, prepared);
            return <li key={name}>{`${name}: ${formattedValueToString(field.display!(field.values[0]))}`}</li>;
          })
      )}
    </ul>
  );
}

function Table({ frame }: { frame: DataFrame }) {
  const theme = useTheme2();
  const [container, { width, height }] = useMeasure<HTMLDivElement>();
  const openQuery = useContext(OpenQuery);
  const prepared = useMemo(() => withLinks(prepareFrames([frame], theme)[0], openQuery), [frame, theme, openQuery]);
  return (
    <div ref={container} className={fill}>
      {/* The table's height follows its parent's, which is not to follow the table's. */}
      <div className={inFront}>
        {width > 0 && <TableNG ariaLabel="Result" data={prepared} width={width} height={height} enableVirtualization />}
      </div>
    </div>
  );
}

const lines: FieldConfig = { custom: { lineWidth: 1, showPoints: 'never' } };

const fill = css({ position: 'relative', width: '100%', height: '100%' });
const inFront = css({ position: 'absolute', inset: 0 });

const getStyles = (theme: GrafanaTheme2) => ({
  graph: css({ height: theme.spacing(60) }),
  table: css({ height: theme.spacing(44) }),
});
