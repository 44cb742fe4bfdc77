import React from 'react';
import type { QueryEditorHelpProps } from '@grafana/data';
import { PromCheatSheet } from '@grafana/prometheus';
import type { DataSource } from '../datasource';
import { isMetricsQuery, type GpuCloudQuery } from '../types';

/** Prometheus' cheat sheet: examples that become the query when they are clicked. */
export function QueryHelp({ datasource, query, ...props }: QueryEditorHelpProps<GpuCloudQuery>) {
  if (!isMetricsQuery(query)) {
    return null;
  }
  return <PromCheatSheet {...props} query={query} datasource={(datasource as DataSource).metrics} />;
}
