import React, { useMemo } from 'react';
import { type AnnotationQuery, CoreApp } from '@grafana/data';
import { Stack, Text } from '@grafana/ui';
import { EditorFrame } from '../components/EditorFrame';
import { TimeControls, useTimeRange } from '../components/TimeControls';
import { type DataSource, type Query } from '../plugin/loadPlugin';

interface Props {
  datasource: DataSource;
  annotation: AnnotationQuery<Query>;
  onChange: (annotation: AnnotationQuery<Query>) => void;
}

/** A dashboard's annotation settings in small: the plugin's annotation editor. The panel draws what is set up here. */
export function AnnotationView({ datasource, annotation, onChange }: Props) {
  const time = useTimeRange();
  const support = datasource.annotations;
  const prepared: AnnotationQuery<Query> = useMemo(
    () => support?.prepareAnnotation?.(annotation) ?? annotation,
    [support, annotation]
  );
  const QueryEditor = support?.QueryEditor;

  return (
    <Stack direction="column" gap={2}>
      <Stack justifyContent="space-between" alignItems="center">
        <Text color="secondary">What is drawn over the panel.</Text>
        <TimeControls control={time} />
      </Stack>
      {QueryEditor && prepared.target && (
        <EditorFrame label="Annotation">
          <QueryEditor
            app={CoreApp.Dashboard}
            datasource={datasource}
            annotation={prepared}
            query={prepared.target}
            range={time.timeRange}
            onAnnotationChange={onChange}
            onChange={(target) => onChange({ ...prepared, target })}
            onRunQuery={time.refresh}
          />
        </EditorFrame>
      )}
    </Stack>
  );
}
