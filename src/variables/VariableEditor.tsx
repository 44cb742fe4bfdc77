import React, { useMemo } from 'react';
import type { QueryEditorProps } from '@grafana/data';
import { PromVariableQueryEditor } from '@grafana/prometheus';
import { Field, Stack } from '@grafana/ui';
import type { GpuCloud } from '../GpuCloud';
import { Configured } from '../config/Configured';
import { DocsLink } from '../help/DocsLink';
import { isPlatformVariable } from '../platform/query';
import { CatalogButton } from '../query/catalog/CatalogButton';
import { SERVICES, type QueryService } from '../query/ServicePicker';
import { Picker } from '../query/Picker';
import { migrateQuery } from '../saved/migrateQuery';
import { isFineTuningVariable, type GpuCloudOptions, type GpuCloudQuery, type GpuCloudVariableQuery } from '../types';
import { FineTuningVariableEditor } from './FineTuningVariableEditor';
import { PlatformVariableEditor } from './PlatformVariableEditor';

type Props = QueryEditorProps<GpuCloud, GpuCloudQuery, GpuCloudOptions, GpuCloudVariableQuery>;

const REF_ID = 'GpuCloudVariable';

const KINDS: Array<{ value: QueryService; label: string; description: string }> = [
  { value: 'metrics', label: 'Metrics', description: 'Label names, label values and results of PromQL' },
  { value: 'fineTuning', label: 'Fine-tuning', description: 'Jobs, models, statuses and checkpoints' },
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
            onChange={(kind) => onChange(newVariable(kind, refId))}
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
      <Configured service={SERVICES[kindOf(query)]} datasource={props.datasource}>
        <KindEditor {...props} />
      </Configured>
      <DocsLink page="variable" />
    </Stack>
  );
}

function KindEditor({ datasource, onChange, onRunQuery, query, range }: Props) {
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

function newVariable(kind: QueryService, refId: string): GpuCloudVariableQuery {
  switch (kind) {
    case 'metrics':
      return { refId, query: '' };
    case 'fineTuning':
      return { refId, queryType: 'fineTuningJobs' };
    case 'platform':
      return { refId, queryType: 'capacityProducts' };
  }
}

function kindOf(query: GpuCloudVariableQuery | undefined): QueryService {
  if (!query) {
    return 'metrics';
  }
  if (isPlatformVariable(query)) {
    return 'platform';
  }
  return isFineTuningVariable(query) ? 'fineTuning' : 'metrics';
}
