import React, { useEffect, useMemo, useRef } from 'react';
import { pick } from 'lodash';
import { CoreApp } from '@grafana/data';
import { EditorRow } from '@grafana/plugin-ui';
import { Stack } from '@grafana/ui';
import { t } from '../i18n';
import { Configured } from '../config/Configured';
import { missingSettings } from '../config/missing';
import { Picker } from '../fields/Picker';
import { useDrafts, withDrafts } from '../fields/useDrafts';
import {
  definitionOf,
  isMetricsQuery,
  isTypedQuery,
  QUERY_TYPES,
  serviceOf,
  typesOffered,
  type QueryType,
} from '../queryTypes';
import { readQuery } from '../saved/readQuery';
import { handOver, pickCommonFields } from '../saved/ownFields';
import { switchType } from '../saved/typedQuery';
import { SERVICES, type QueryService } from '../services';
import type { GpuCloudQuery, TypedQuery } from '../types';
import { isAlerting } from '../types/definition';
import { CatalogChoice } from './catalog/CatalogChoice';
import { EditorHeader, NoEditor } from './EditorHeader';
import type { GpuCloudQueryEditorProps } from './editorProps';
import { MetricsQueryEditor } from './MetricsQueryEditor';
import { TypedFields } from './TypedFields';

const SERVICE_CHOICES = (Object.keys(SERVICES) as QueryService[]).map((value) => ({ value, ...SERVICES[value] }));

/** The editor of a panel's, an Explore pane's or an alert rule's query: what it is about, then its own fields. */
export const QueryEditor = withDrafts(({ query: saved, ...rest }: GpuCloudQueryEditorProps) => {
  const query = useMemo(() => readQuery(saved), [saved]);
  const props = { ...rest, query };
  const { app, datasource, onChange, onRunQuery } = props;
  const service = serviceOf(query);
  const leave = useDrafts<GpuCloudQuery>('service');

  useInstantInAlertRules(props);

  const change = (changed: GpuCloudQuery) => {
    onChange(handOver(query, changed));
    onRunQuery();
  };
  const changeService = (to: QueryService) => {
    const left = leave(service ?? '', query, to);
    change(left ? { ...left, ...pickCommonFields(query) } : newQuery(to, props));
  };

  return (
    <Stack direction="column" gap={1}>
      <EditorHeader
        aria-label={t('Query')}
        size="sm"
        options={SERVICE_CHOICES}
        value={service}
        onChange={changeService}
        page={isAlerting(app) ? 'alerting' : 'query'}
      >
        {isMetricsQuery(query) && (
          <CatalogChoice metrics={datasource.metrics} range={props.range} query={query} onInsert={change} />
        )}
      </EditorHeader>
      {isMetricsQuery(query) && (
        <Configured setting="Metrics" datasource={datasource}>
          <MetricsQueryEditor {...props} query={query} />
        </Configured>
      )}
      {isTypedQuery(query) && <TypedQueryEditor {...props} query={query} onChange={change} />}
      {!service && <NoEditor query={query} />}
    </Stack>
  );
});

/** A new query of a service, of the first type that the settings are enough for. */
function newQuery(service: QueryService, { query, datasource, app }: GpuCloudQueryEditorProps): GpuCloudQuery {
  if (service === 'metrics') {
    return { ...datasource.metrics.getDefaultQuery(app ?? CoreApp.Unknown), ...pickCommonFields(query) };
  }
  const settings = datasource.options;
  const offered = typesOffered(service, app);
  const isConfigured = (type: QueryType) => {
    const { needs } = QUERY_TYPES[type];
    return !needs || !missingSettings(needs, settings);
  };
  const queryType = offered.find(isConfigured) ?? offered[0];
  return switchType(pickCommonFields(query), queryType, { settings, alerting: isAlerting(app) });
}

interface TypedProps extends GpuCloudQueryEditorProps {
  query: TypedQuery;
}

const choiceOf = (value: QueryType) => ({ value, ...pick(QUERY_TYPES[value], 'label', 'description') });

/** The types of a service, and the fields of the query's own. */
function TypedQueryEditor({ query, ...props }: TypedProps) {
  const { app, datasource, onChange } = props;
  const { queryType } = query;
  const { service, needs } = definitionOf(query);
  const leave = useDrafts<GpuCloudQuery>('type');
  const offered = typesOffered(service, app);
  // The one that a query has is last if it is not among them.
  const types = offered.includes(queryType) ? offered : [...offered, queryType];

  const changeType = (to: QueryType) => {
    const place = { settings: datasource.options, alerting: isAlerting(app) };
    onChange(switchType(query, to, place, leave(queryType, query, to)));
  };
  return (
    <Stack direction="column" gap={0.5}>
      {types.length > 1 && (
        <EditorRow>
          <Picker aria-label={t('Show')} options={types.map(choiceOf)} value={queryType} onChange={changeType} />
        </EditorRow>
      )}
      <Configured setting={needs} datasource={datasource}>
        <TypedFields {...props} query={query} />
      </Configured>
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
