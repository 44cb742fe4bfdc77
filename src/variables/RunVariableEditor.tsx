import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { Configured } from '../config/Configured';
import type { GpuCloud } from '../GpuCloud';
import { TextOption } from '../query/platform/TextOption';
import { RunSourceFields, SourceKindField } from '../query/runs/RunSourceFields';
import { serviceOfRuns } from '../runs/service';
import type { RunSource, RunVariableQuery } from '../runs/query';
import { ValuesFields, type ValueType } from './ValuesFields';

const TYPES: Array<ValueType<RunVariableQuery['queryType']>> = [
  { value: 'runs', label: 'Runs', description: 'The value is the run’s id, and its name is shown' },
  { value: 'runLabels', label: 'Label values', description: 'The values of a label of the runs, or their names' },
];

interface Props {
  query: RunVariableQuery;
  onChange: (query: RunVariableQuery) => void;
  datasource: GpuCloud;
}

/** Which runs a variable lists. */
export function RunVariableEditor({ query, onChange, datasource }: Props) {
  const { source } = query;
  const setSource = (changed: RunSource) => onChange({ ...query, source: changed });
  return (
    <ValuesFields
      types={TYPES}
      value={query.queryType}
      onChange={(queryType) => onChange({ refId: query.refId, queryType, source })}
    >
      {query.queryType === 'runLabels' && (
        <EditorRow>
          <TextOption
            label="Label (optional)"
            tooltip="Fine-tuning jobs have model, node_pool and what is in their metadata; series have the labels that distinguish them. Names of runs if it is empty."
            placeholder="model"
            value={query.label ?? ''}
            onChange={(label) => onChange({ ...query, label: label || undefined })}
          />
        </EditorRow>
      )}
      <SourceKindField source={source} onChange={setSource} />
      <Configured service={serviceOfRuns(source)} datasource={datasource}>
        <RunSourceFields source={source} onChange={setSource} gateway={datasource.gateway} />
      </Configured>
    </ValuesFields>
  );
}
