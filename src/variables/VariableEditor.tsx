import React, { useMemo } from 'react';
import type { QueryEditorProps } from '@grafana/data';
import { PromVariableQueryEditor } from '@grafana/prometheus';
import { Field, Stack } from '@grafana/ui';
import type { GpuCloud } from '../GpuCloud';
import { Configured } from '../config/Configured';
import { DocsLink } from '../help/DocsLink';
import { isPlatformVariable } from '../platform/query';
import { isRunVariable } from '../runs/query';
import { newSource } from '../runs/newQuery';
import { CatalogButton } from '../query/catalog/CatalogButton';
import { SERVICES } from '../query/ServicePicker';
import { Picker } from '../query/Picker';
import type { QueryService } from '../queryTypes';
import { migrateQuery } from '../saved/migrateQuery';
import { isFineTuningVariable, type GpuCloudOptions, type GpuCloudQuery, type GpuCloudVariableQuery } from '../types';
import { FineTuningVariableEditor } from './FineTuningVariableEditor';
import { PlatformVariableEditor } from './PlatformVariableEditor';
import { RunVariableEditor } from './RunVariableEditor';

type Props = QueryEditorProps<GpuCloud, GpuCloudQuery, GpuCloudOptions, GpuCloudVariableQuery>;

const REF_ID = 'GpuCloudVariable';

/** Findings come and go: no list to choose from. */
type Kind = Exclude<QueryService, 'training'>;

const KINDS: Array<{ value: Kind; label: string; description: string }> = [
  { value: 'metrics', label: 'Metrics', description: 'Label names, label values and results of PromQL' },
  { value: 'fineTuning', label: 'Fine-tuning', description: 'Jobs, models, statuses and checkpoints' },
  { value: 'runs', label: 'Runs', description: 'Training runs, and the values of their labels' },
  { value: 'platform', label: 'Capacity & API', description: 'Products, locations, and a member of any list' },
];

/** What a dashboard variable's values are: Prometheus' kinds, or those of fine-tuning or of the main API. */
export function VariableEditor({ query: saved, ...rest }: Props) {
  const query = useMemo(() => migrateQuery(saved), [saved]);
  const props = { ...rest, query };
  const { onChange } = props;
  // A new variable has no query yet, or an empty text for one.
  const refId = query?.refId ?? REF_ID;

  return (
    <Stack direction="column" gap={1}>
      <Stack justifyContent="space-between" alignItems="flex-end" gap={1} wrap="wrap">
        <Field label="Values from" noMargin>
          <Picker
            aria-label="Values from"
            options={KINDS}
            value={kindOf(query)}
            onChange={(kind) => onChange(newVariable(kind, refId, props.datasource))}
          />
        </Field>
        {kindOf(query) === 'metrics' && (
          <CatalogButton
            metrics={props.datasource.metrics}
            range={props.range}
            query={{ refId, expr: '' }}
            onInsert={({ expr }) => onChange(resultOf(expr, refId))}
          />
        )}
      </Stack>
      <KindEditor {...props} />
      <DocsLink page="variable" />
    </Stack>
  );
}

function KindEditor(props: Props) {
  const { query, onChange, datasource } = props;
  if (query && isRunVariable(query)) {
    return <RunVariableEditor query={query} onChange={onChange} datasource={datasource} />;
  }
  const kind = kindOf(query);
  return kind === 'runs' ? null : (
    <Configured service={SERVICES[kind]} datasource={datasource}>
      <ServiceEditor {...props} />
    </Configured>
  );
}

function ServiceEditor({ datasource, onChange, onRunQuery, query, range }: Props) {
  if (query && isFineTuningVariable(query)) {
    return <FineTuningVariableEditor query={query} onChange={onChange} gateway={datasource.gateway} />;
  }
  if (query && isPlatformVariable(query)) {
    return <PlatformVariableEditor query={query} onChange={onChange} datasource={datasource} />;
  }
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

/** Prometheus' number for the kind of variable whose values are a query's result. */
const QUERY_RESULT = 3;

/** A variable with the result of a query of the catalog. Grafana fills a range into variables, but no rate interval. */
function resultOf(expr: string, refId: string): GpuCloudVariableQuery {
  const overRange = expr.replaceAll('$__rate_interval', '$__range');
  return { refId, qryType: QUERY_RESULT, query: `query_result(${overRange})` };
}

function newVariable(kind: Kind, refId: string, { options }: GpuCloud): GpuCloudVariableQuery {
  switch (kind) {
    case 'metrics':
      return { refId, query: '' };
    case 'fineTuning':
      return { refId, queryType: 'fineTuningJobs' };
    case 'runs':
      return { refId, queryType: 'runs', source: newSource(Boolean(options.intelligenceUrl)) };
    case 'platform':
      return { refId, queryType: 'capacityProducts' };
  }
}

function kindOf(query: GpuCloudVariableQuery | undefined): Kind {
  if (!query) {
    return 'metrics';
  }
  if (isPlatformVariable(query)) {
    return 'platform';
  }
  if (isRunVariable(query)) {
    return 'runs';
  }
  return isFineTuningVariable(query) ? 'fineTuning' : 'metrics';
}
