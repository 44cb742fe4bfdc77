import React, { useEffect, useMemo, useState } from 'react';
import { type AnnotationQuery, CoreApp, type FieldConfig } from '@grafana/data';
import { InlineSwitch, Stack } from '@grafana/ui';
import { Notices, Results } from '../components/Results';
import { TimeControls, useTimeRange } from '../components/TimeControls';
import { useAnnotation } from '../data/useAnnotation';
import { useQueryRunner } from '../data/useQueryRunner';
import { type DataSource, type Query } from '../plugin/loadPlugin';

const EXPRESSION = 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)';

const percent: FieldConfig = { unit: 'percent', min: 0, max: 100, custom: { lineWidth: 1, showPoints: 'never' } };

interface Props {
  datasource: DataSource;
  /** What is drawn over the graph. */
  annotation: AnnotationQuery<Query>;
}

/** A dashboard's panel: GPU utilization of each node, with the fine-tuning jobs that explain it drawn over it. */
export function PanelView({ datasource, annotation }: Props) {
  const time = useTimeRange();
  const [isAnnotated, setAnnotated] = useState(true);
  const { events, notices } = useAnnotation(datasource, isAnnotated ? annotation : undefined, time.timeRange);
  const queries = useMemo(
    () => [
      { refId: 'A', datasource: datasource.getRef(), expr: EXPRESSION, range: true, legendFormat: '{{instance}}' },
    ],
    [datasource]
  );
  const { data, run } = useQueryRunner();
  useEffect(
    () => run({ datasource, queries, timeRange: time.timeRange, app: CoreApp.Dashboard, requestId: 'panel' }),
    [run, datasource, queries, time.timeRange]
  );

  return (
    <Stack direction="column" gap={2}>
      <Stack justifyContent="flex-end">
        <InlineSwitch
          id="annotations"
          label={annotation.name}
          showLabel
          transparent
          value={isAnnotated}
          onChange={(event) => setAnnotated(event.currentTarget.checked)}
        />
        <TimeControls control={time} />
      </Stack>
      <Notices notices={notices} />
      {data && <Results data={data} title="GPU utilization by node" defaults={percent} annotations={events} />}
    </Stack>
  );
}
