import React from 'react';
import type { HistoryItem } from '@grafana/data';
import { PromQueryEditorByApp } from '@grafana/prometheus';
import type { GpuCloudQuery, MetricsQuery } from '../types';
import type { GpuCloudQueryEditorProps } from './editorProps';
import { NoSeriesHint } from './metrics/NoSeriesHint';
import { isMetricsQuery } from '../queryTypes';

interface Props extends GpuCloudQueryEditorProps {
  query: MetricsQuery;
}

/** Prometheus' own builder and code editor, so that nobody learns PromQL editing twice. */
export function MetricsQueryEditor({ datasource, queries, history, ...props }: Props) {
  return (
    <>
      {/* Prometheus' editor is several elements with spaces of their own: the gaps of a stack around them would come on top. */}
      <div>
        <PromQueryEditorByApp
          {...props}
          datasource={datasource.metrics}
          queries={queries?.filter(isMetricsQuery)}
          history={history?.filter(isMetricsItem)}
        />
      </div>
      <NoSeriesHint {...props} datasource={datasource} />
    </>
  );
}

function isMetricsItem(item: HistoryItem<GpuCloudQuery>): item is HistoryItem<MetricsQuery> {
  return isMetricsQuery(item.query);
}
