import React from 'react';
import type { AnnotationQuery, QueryEditorProps } from '@grafana/data';
import { AnnotationQueryEditor } from '@grafana/prometheus';
import type { DataSource } from '../datasource';
import { isMetricsQuery, type GpuCloudOptions, type GpuCloudQuery } from '../types';
import { isPromQL } from './annotationSupport';

interface Props extends QueryEditorProps<DataSource, GpuCloudQuery, GpuCloudOptions> {
  annotation?: AnnotationQuery<GpuCloudQuery>;
  onAnnotationChange?: (annotation: AnnotationQuery<GpuCloudQuery>) => void;
}

/** Prometheus' annotation editor. */
export function AnnotationEditor({ annotation, onAnnotationChange, query, ...props }: Props) {
  if (!isMetricsQuery(query) || !annotation || !isPromQL(annotation)) {
    return null;
  }
  return (
    <AnnotationQueryEditor
      annotation={annotation}
      onAnnotationChange={onAnnotationChange}
      query={query}
      onChange={props.onChange}
      onRunQuery={props.onRunQuery}
      datasource={props.datasource.metrics}
      app={props.app}
      data={props.data}
      range={props.range}
    />
  );
}
