import React, { useCallback, useMemo, useState } from 'react';
import { type AnnotationQuery, type FieldConfig, type LoadingState } from '@grafana/data';
import { InlineSwitch, type UPlotConfigBuilder } from '@grafana/ui';
import { AnnotationLayer } from '../annotations/AnnotationLayer';
import { useAnnotation } from '../annotations/useAnnotation';
import { Graph } from '../components/Graph';
import { QueryPanel } from '../components/QueryPanel';
import { graphFrames } from '../data/frames';
import { type TimeRangeControl } from '../data/useTimeRange';
import { type DataSource, type Query } from '../plugin/loadPlugin';

const EXPRESSION = 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)';

const fieldDefaults: FieldConfig = {
  unit: 'percent',
  min: 0,
  max: 100,
  custom: { lineWidth: 1, showPoints: 'never' },
};

interface Props {
  datasource: DataSource;
  /** What is drawn over the graph. */
  annotation: AnnotationQuery<Query>;
  time: TimeRangeControl;
  onState: (state: LoadingState) => void;
}

/** GPU utilization of each node, with the fine-tuning jobs that explain it drawn over it. */
export function UtilizationPanel({ datasource, annotation, time, onState }: Props) {
  const [isAnnotated, setAnnotated] = useState(true);
  const { events, notices, error } = useAnnotation(datasource, isAnnotated ? annotation : undefined, time.timeRange);
  const queries = useMemo(
    () => [
      { refId: 'A', datasource: datasource.getRef(), expr: EXPRESSION, range: true, legendFormat: '{{instance}}' },
    ],
    [datasource]
  );
  const layers = useCallback(
    (builder: UPlotConfigBuilder) => <AnnotationLayer builder={builder} events={events} />,
    [events]
  );

  return (
    <QueryPanel
      title="GPU utilization by node"
      description={`${EXPRESSION}\n\nAverage over the GPUs of each node.`}
      datasource={datasource}
      queries={queries}
      timeRange={time.timeRange}
      requestId="utilization"
      onState={onState}
      actions={
        <InlineSwitch
          id="annotations"
          label={annotation.name}
          showLabel
          transparent
          value={isAnnotated}
          onChange={(event) => setAnnotated(event.currentTarget.checked)}
        />
      }
      notices={notices}
      warning={error}
      select={graphFrames}
    >
      {(frames, timeRange) => (
        <Graph
          frames={frames}
          timeRange={timeRange}
          defaults={fieldDefaults}
          legend="table"
          onZoom={time.setTimeRange}
          layers={layers}
        />
      )}
    </QueryPanel>
  );
}
