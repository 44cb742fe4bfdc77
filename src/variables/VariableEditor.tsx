import React, { useMemo } from 'react';
import { pick } from 'lodash';
import type { QueryEditorProps } from '@grafana/data';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { PromVariableQueryEditor } from '@grafana/prometheus';
import { Stack } from '@grafana/ui';
import { t } from '../i18n';
import { Configured } from '../config/Configured';
import type { Setting } from '../config/missing';
import { Picker } from '../fields/Picker';
import { useDrafts, withDrafts } from '../fields/useDrafts';
import type { GpuCloud } from '../GpuCloud';
import { EditorHeader } from '../query/EditorHeader';
import { readQuery } from '../saved/readQuery';
import { clearDropped } from '../saved/ownFields';
import { SERVICES, type QueryService } from '../services';
import type { GpuCloudOptions, GpuCloudQuery } from '../types';
import {
  isTypedVariable,
  VARIABLE_SERVICES,
  type GpuCloudVariableQuery,
  type TypedVariableQuery,
  type VariableType,
} from './query';
import { VARIABLE_TYPES } from './variableTypes';

type Props = QueryEditorProps<GpuCloud, GpuCloudQuery, GpuCloudOptions, GpuCloudVariableQuery>;

const REF_ID = 'GpuCloudVariable';

type Kind = Exclude<QueryService, 'training'>;

const KINDS: Array<{ value: Kind; label: string; description: string }> = [
  { ...SERVICES.metrics, value: 'metrics', description: 'Label names, label values and results of PromQL' },
  { ...SERVICES.fineTuning, value: 'fineTuning', description: 'Jobs, models and statuses' },
  { ...SERVICES.runs, value: 'runs', description: 'Training runs, and the values of their labels' },
  { ...SERVICES.mainApi, value: 'mainApi', description: 'A member of each item of any list' },
];

/** The section of the settings that a kind needs. The source of runs says itself what it lacks. */
const NEEDS: Record<Kind, Setting | undefined> = {
  metrics: 'Metrics',
  fineTuning: 'Fine-tuning',
  runs: undefined,
  mainApi: 'Main API',
};

/** What a dashboard variable's values are: Prometheus' kinds, or those of fine-tuning, of runs or of the main API. */
export const VariableEditor = withDrafts(({ query: saved, ...rest }: Props) => {
  const query = useMemo(() => readQuery(saved), [saved]);
  const props = { ...rest, query };
  const { datasource } = props;
  const onChange = (changed: GpuCloudVariableQuery) => props.onChange(clearDropped(query, changed));
  const leave = useDrafts<GpuCloudVariableQuery>('kind');
  // A new variable has no query yet, or an empty text for one.
  const refId = query?.refId ?? REF_ID;
  const chosen: Kind = isTypedVariable(query) ? VARIABLE_SERVICES[query.queryType] : 'metrics';

  return (
    <Stack direction="column" gap={1}>
      <EditorHeader
        aria-label={t('Values from')}
        options={KINDS}
        value={chosen}
        onChange={(to) => onChange(leave(chosen, query, to) ?? newVariable(to, refId, datasource))}
        page="variable"
      />
      <Configured setting={NEEDS[chosen]} datasource={datasource}>
        {isTypedVariable(query) ? (
          <TypedVariable query={query} onChange={onChange} datasource={datasource} />
        ) : (
          <PromVariableQueryEditor
            datasource={datasource.metrics}
            query={query}
            onChange={onChange}
            onRunQuery={props.onRunQuery}
            range={props.range}
          />
        )}
      </Configured>
    </Stack>
  );
});

interface TypedProps<Query> {
  query: Query;
  onChange: (query: TypedVariableQuery) => void;
  datasource: GpuCloud;
}

/** What the values are, and what narrows them. */
function TypedVariable<Query extends TypedVariableQuery>({ query, onChange, datasource }: TypedProps<Query>) {
  const { queryType, refId } = query;
  const leave = useDrafts<TypedVariableQuery>('type');
  const Fields = VARIABLE_TYPES[queryType].Fields as React.ComponentType<TypedProps<Query>> | undefined;
  const changeType = (to: VariableType) => {
    const changed = leave(queryType, query, to) ?? newOfType(to, refId, datasource);
    onChange({ ...changed, ...pick(query, 'source') });
  };
  return (
    <Stack direction="column" gap={0.5}>
      <EditorRow>
        <EditorField label={t('Values')}>
          <Picker
            aria-label={t('Values')}
            options={typesOf(VARIABLE_SERVICES[queryType]).map((value) => ({ value, ...VARIABLE_TYPES[value] }))}
            value={queryType}
            onChange={changeType}
          />
        </EditorField>
      </EditorRow>
      {Fields && <Fields query={query} onChange={onChange} datasource={datasource} />}
    </Stack>
  );
}

const typesOf = (service: Kind): VariableType[] =>
  (Object.keys(VARIABLE_SERVICES) as VariableType[]).filter((type) => VARIABLE_SERVICES[type] === service);

const newVariable = (service: Kind, refId: string, datasource: GpuCloud): GpuCloudVariableQuery =>
  service === 'metrics' ? { refId, query: '' } : newOfType(typesOf(service)[0], refId, datasource);

const newOfType = (queryType: VariableType, refId: string, { options }: GpuCloud) =>
  ({ refId, queryType, ...VARIABLE_TYPES[queryType].blank?.(options) }) as TypedVariableQuery;
