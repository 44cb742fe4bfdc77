import React, { useMemo } from 'react';
import { type FieldConfig } from '@grafana/data';
import { Graph } from '../components/Graph';
import { QueryPanel } from '../components/QueryPanel';
import { graphFrames } from '../data/frames';
import { type TimeRangeControl } from '../data/useTimeRange';
import { type DataSource } from '../plugin/loadPlugin';

const fieldDefaults: FieldConfig = { custom: { lineWidth: 1, showPoints: 'auto' } };

interface Props {
  datasource: DataSource;
  time: TimeRangeControl;
}

/** How the training loss of each job fell. */
export function CurvesPanel({ datasource, time }: Props) {
  const queries = useMemo(
    () => [{ refId: 'A', datasource: datasource.getRef(), queryType: 'fineTuningCurves', metrics: ['train_loss'] }],
    [datasource]
  );
  return (
    <QueryPanel
      title="Training loss"
      description="Of the jobs that trained within the time range."
      datasource={datasource}
      queries={queries}
      timeRange={time.timeRange}
      requestId="curves"
      select={graphFrames}
    >
      {(frames, timeRange) => (
        <Graph
          frames={frames}
          timeRange={timeRange}
          defaults={fieldDefaults}
          legend="list"
          onZoom={time.setTimeRange}
        />
      )}
    </QueryPanel>
  );
}
