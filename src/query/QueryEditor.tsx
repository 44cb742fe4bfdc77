import React from 'react';
import type { QueryEditorProps } from '@grafana/data';
import { Alert } from '@grafana/ui';
import type { DataSource } from '../datasource';
import { isMetricsQuery, type GpuCloudOptions, type GpuCloudQuery } from '../types';
import { MetricsQueryEditor } from './MetricsQueryEditor';

export type GpuCloudQueryEditorProps = QueryEditorProps<DataSource, GpuCloudQuery, GpuCloudOptions>;

/** The editor of a panel's, an Explore pane's or an alert rule's query. */
export function QueryEditor(props: GpuCloudQueryEditorProps) {
  const { query } = props;
  if (isMetricsQuery(query)) {
    return <MetricsQueryEditor {...props} query={query} />;
  }
  return (
    <Alert severity="info" title={`Query type “${query.queryType}” has no editor`}>
      The query runs as it is saved. Edit it in the panel&apos;s or the dashboard&apos;s JSON.
    </Alert>
  );
}
