import React, { type ComponentType } from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { t } from '../i18n';
import { ListRow } from '../fields/ListField';
import { TextOption } from '../fields/TextOption';
import type { GpuCloud } from '../GpuCloud';
import { RunSourceFields } from '../runs/RunSourceFields';
import type { GpuCloudOptions } from '../types';
import { SourceFields } from '../types/list/SourceFields';
import { newSource } from '../types/runSource';
import type { TypedVariableQuery, VariableType } from './query';

interface FieldsProps<Query> {
  query: Query;
  onChange: (query: Query) => void;
  datasource: GpuCloud;
}

interface Definition<Query> {
  label: string;
  description: string;
  blank?: (settings: GpuCloudOptions) => Partial<Query>;
  /** What narrows the values. */
  Fields?: ComponentType<FieldsProps<Query>>;
}

type OfType<Type extends VariableType> = Extract<TypedVariableQuery, { queryType: Type }>;

export const VARIABLE_TYPES: { [Type in VariableType]: Definition<OfType<Type>> } = {
  fineTuningJobs: {
    label: 'Jobs',
    description: 'The value is the job’s id, and its name is shown',
    Fields: (props) => <ListRow {...props} options={['statuses', 'models']} />,
  },
  fineTuningModels: { label: 'Models', description: 'Models that jobs can start from' },
  fineTuningStatuses: { label: 'Statuses', description: 'Such as running or failed' },
  runs: {
    label: 'Runs',
    description: 'The value is the run’s id, and its name is shown',
    blank: (settings) => ({ source: newSource(settings) }),
    Fields: RunSourceFields,
  },
  runLabels: {
    label: 'Label values',
    description: 'The values of a label of the runs, or their names',
    blank: (settings) => ({ source: newSource(settings) }),
    Fields: (props) => (
      <>
        <EditorRow>
          <TextOption
            label={t('Label (optional)')}
            tooltip={t(
              'Fine-tuning jobs have model, node_pool and what is in their metadata; series have the labels that distinguish them. Names of runs if it is empty.'
            )}
            example="model"
            value={props.query.label ?? ''}
            onChange={(label) => props.onChange({ ...props.query, label: label || undefined })}
          />
        </EditorRow>
        <RunSourceFields {...props} />
      </>
    ),
  },
  platform: {
    label: 'API list',
    description: 'A member of each item of any list, such as the types or locations of capacities',
    blank: () => ({ path: '' }),
    Fields: MemberFields,
  },
};

/** Which list, and which member of its items. A ready-made list starts with its first one. */
function MemberFields({ query, onChange }: FieldsProps<OfType<'platform'>>) {
  return (
    <>
      <SourceFields
        query={query}
        onChange={onChange}
        columnsOf={(list) => list.columns.filter(({ type }) => type === 'string')}
        withColumns={(changed, [first] = []) => ({
          ...changed,
          valueSelector: first?.selector,
          textSelector: undefined,
        })}
      />
      <EditorRow>
        <TextOption
          label={t('Value')}
          tooltip={t('A member of each item. The names on the way to a nested one are joined by dots.')}
          example="id"
          value={query.valueSelector ?? ''}
          onChange={(selector) => onChange({ ...query, valueSelector: selector || undefined })}
        />
        <TextOption
          label={t('Text (optional)')}
          tooltip={t('What is shown for a value, if not the value itself.')}
          example="name"
          value={query.textSelector ?? ''}
          onChange={(selector) => onChange({ ...query, textSelector: selector || undefined })}
        />
      </EditorRow>
    </>
  );
}
