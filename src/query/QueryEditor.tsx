import React, { useMemo, useRef } from 'react';
import { Alert, Stack } from '@grafana/ui';
import { isPlatformQuery } from '../platform/query';
import { readQuery } from '../saved/readQuery';
import { isFineTuningQuery, isMetricsQuery, type GpuCloudQuery } from '../types';
import { CatalogueButton } from './catalogue/CatalogueButton';
import type { GpuCloudQueryEditorProps } from './editorProps';
import { KindPicker, kindOf, type Kind } from './KindPicker';
import { MetricsQueryEditor } from './MetricsQueryEditor';
import { PlatformEditor } from './platform/PlatformEditor';
import { FineTuningEditor } from './tuning/FineTuningEditor';
import { newQuery } from './newQuery';

/** The editor of a panel's, an Explore pane's or an alert rule's query: what it is about, then its own fields. */
export function QueryEditor({ query: saved, ...rest }: GpuCloudQueryEditorProps) {
  const query = useMemo(() => readQuery(saved), [saved]);
  const props = { ...rest, query };
  const { onChange, onRunQuery } = props;
  // What was written before the kind was changed, for those who change it back.
  const left = useRef<Partial<Record<Kind, GpuCloudQuery>>>({});

  const onKindChange = (kind: Kind) => {
    const current = kindOf(query);
    if (current) {
      left.current[current] = query;
    }
    onChange(newQuery(kind, props, left.current[kind]));
    onRunQuery();
  };

  return (
    <Stack direction="column" gap={1}>
      <Stack justifyContent="space-between" gap={1} wrap="wrap">
        <KindPicker value={kindOf(query)} onChange={onKindChange} />
        {isMetricsQuery(query) && (
          <CatalogueButton
            metrics={props.datasource.metrics}
            range={props.range}
            query={query}
            onInsert={(chosen) => {
              onChange(chosen);
              onRunQuery();
            }}
          />
        )}
      </Stack>
      <KindEditor {...props} />
    </Stack>
  );
}

function KindEditor({ query, ...props }: GpuCloudQueryEditorProps) {
  if (isMetricsQuery(query)) {
    return <MetricsQueryEditor {...props} query={query} />;
  }
  if (isFineTuningQuery(query)) {
    return <FineTuningEditor {...props} query={query} />;
  }
  if (isPlatformQuery(query)) {
    return <PlatformEditor {...props} query={query} />;
  }
  return (
    <Alert severity="info" title={`Query type “${query.queryType}” has no editor`}>
      The query runs as it is saved. Edit it in the panel&apos;s or the dashboard&apos;s JSON.
    </Alert>
  );
}
