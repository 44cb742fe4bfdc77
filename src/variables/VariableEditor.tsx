import React from 'react';
import type { QueryEditorProps } from '@grafana/data';
import { PromVariableQueryEditor } from '@grafana/prometheus';
import type { DataSource } from '../datasource';
import type { GpuCloudOptions, GpuCloudQuery, GpuCloudVariableQuery } from '../types';

type Props = QueryEditorProps<DataSource, GpuCloudQuery, GpuCloudOptions, GpuCloudVariableQuery>;

/** Prometheus' variable editor. */
export function VariableEditor({ datasource, onChange, onRunQuery, query, range }: Props) {
  return (
    <PromVariableQueryEditor
      datasource={datasource.metrics}
      query={query}
      onChange={onChange}
      onRunQuery={onRunQuery}
      range={range}
    />
  );
}
