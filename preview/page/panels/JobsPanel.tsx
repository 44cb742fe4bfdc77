import React, { useMemo } from 'react';
import { type DataFrame, type TimeRange } from '@grafana/data';
import { QueryPanel } from '../components/QueryPanel';
import { ResultTable } from '../components/ResultTable';
import { type DataSource } from '../plugin/loadPlugin';

const filledFrames = (series: DataFrame[]) => series.filter((frame) => frame.length > 0);

interface Props {
  datasource: DataSource;
  timeRange: TimeRange;
}

/** The fine-tuning jobs that lived within the time range, newest first. */
export function JobsPanel({ datasource, timeRange }: Props) {
  const queries = useMemo(
    () => [{ refId: 'A', datasource: datasource.getRef(), queryType: 'fineTuningJobs', format: 'table' }],
    [datasource]
  );
  return (
    <QueryPanel
      title="Fine-tuning jobs"
      description="Jobs that lived within the time range. A job's id leads to its checkpoints."
      datasource={datasource}
      queries={queries}
      timeRange={timeRange}
      requestId="jobs"
      isFlush
      select={filledFrames}
    >
      {([frame]) => <ResultTable frame={frame} />}
    </QueryPanel>
  );
}
