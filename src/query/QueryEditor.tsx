import React, { useEffect, useMemo, useRef } from 'react';
import { Alert, Stack } from '@grafana/ui';
import { Configured } from '../config/Configured';
import { DocsLink } from '../help/DocsLink';
import { migrateQuery } from '../saved/migrateQuery';
import type { GpuCloudQuery } from '../types';
import { CatalogButton } from './catalog/CatalogButton';
import type { GpuCloudQueryEditorProps } from './editorProps';
import { takeExample } from './help/chosenExample';
import { ServicePicker, SERVICES } from './ServicePicker';
import { MetricsQueryEditor } from './MetricsQueryEditor';
import { PlatformEditor } from './platform/PlatformEditor';
import { RunsEditor } from './runs/RunsEditor';
import { TrainingEditor } from './training/TrainingEditor';
import { FineTuningEditor } from './tuning/FineTuningEditor';
import { newQuery } from './newQuery';
import {
  isAlerting,
  isFineTuningQuery,
  isMetricsQuery,
  isPlatformQuery,
  isRunQuery,
  isTrainingQuery,
  serviceOf,
  type QueryService,
} from '../queryTypes';

/** The editor of a panel's, an Explore pane's or an alert rule's query: what it is about, then its own fields. */
export function QueryEditor({ query: saved, ...rest }: GpuCloudQueryEditorProps) {
  const query = useMemo(() => migrateQuery(saved), [saved]);
  const props = { ...rest, query };
  const { onChange, onRunQuery } = props;
  // What was written before the service was changed, for those who change it back.
  const left = useRef<Partial<Record<QueryService, GpuCloudQuery>>>({});

  useInstantInAlertRules(props);
  useEffect(() => {
    if (takeExample(query)) {
      onRunQuery();
    }
  }, [query, onRunQuery]);

  const onServiceChange = (service: QueryService) => {
    const current = serviceOf(query);
    if (current) {
      left.current[current] = query;
    }
    onChange(newQuery(service, props, left.current[service]));
    onRunQuery();
  };

  return (
    <Stack direction="column" gap={1}>
      <Stack justifyContent="space-between" gap={1} wrap="wrap">
        <ServicePicker value={serviceOf(query)} onChange={onServiceChange} />
        <Stack alignItems="center" gap={2}>
          <DocsLink page={isAlerting(props.app) ? 'alerting' : 'query'} />
          {isMetricsQuery(query) && (
            <CatalogButton
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
      </Stack>
      <KindEditor {...props} />
    </Stack>
  );
}

/**
 * Makes a new alert rule's PromQL query instant, as for Grafana's Prometheus data source. Grafana does that itself for that
 * data source alone: for others it writes a range query into a new rule, over the defaults of the data source.
 */
function useInstantInAlertRules({ query, app, onChange }: GpuCloudQueryEditorProps) {
  const isNew = isAlerting(app) && isMetricsQuery(query) && !query.expr && !query.instant;
  const wasNew = useRef(isNew);
  useEffect(() => {
    if (wasNew.current && isMetricsQuery(query)) {
      wasNew.current = false;
      onChange({ ...query, instant: true, range: false });
    }
  }, [query, onChange]);
}

function KindEditor(props: GpuCloudQueryEditorProps) {
  const service = serviceOf(props.query);
  // These work with one of their services, and say what they lack.
  if (service === 'runs' || service === 'training' || props.query.queryType === 'placement') {
    return <KindFields {...props} />;
  }
  return service ? (
    <Configured service={SERVICES[service]} datasource={props.datasource}>
      <KindFields {...props} />
    </Configured>
  ) : (
    <Alert severity="info" title={`Query type “${props.query.queryType}” has no editor`}>
      The query runs as it is saved. Edit it in the panel&apos;s or the dashboard&apos;s JSON.
    </Alert>
  );
}

function KindFields({ query, ...props }: GpuCloudQueryEditorProps) {
  if (isMetricsQuery(query)) {
    return <MetricsQueryEditor {...props} query={query} />;
  }
  if (isFineTuningQuery(query)) {
    return <FineTuningEditor {...props} query={query} />;
  }
  if (isRunQuery(query)) {
    return <RunsEditor {...props} query={query} />;
  }
  if (isTrainingQuery(query)) {
    return <TrainingEditor {...props} query={query} />;
  }
  if (isPlatformQuery(query)) {
    return <PlatformEditor {...props} query={query} />;
  }
  return null;
}
