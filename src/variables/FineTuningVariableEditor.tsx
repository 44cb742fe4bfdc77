import React from 'react';
import { JobsField, ModelsField, StatusesField } from '../query/tuning/FilterFields';
import type { Gateway } from '../tuning/Gateway';
import type { FineTuningVariableQuery } from '../types';
import { ValuesFields, type ValueType } from './ValuesFields';

type VariableType = FineTuningVariableQuery['queryType'];

const TYPES: Array<ValueType<VariableType>> = [
  { value: 'fineTuningJobs', label: 'Jobs', description: 'The value is the job’s id, and its name is shown' },
  { value: 'fineTuningModels', label: 'Models', description: 'Models that jobs can start from' },
  { value: 'fineTuningStatuses', label: 'Statuses', description: 'Such as running or failed' },
  { value: 'fineTuningCheckpoints', label: 'Checkpoints', description: 'The ids of a job’s checkpoints' },
];

interface Props {
  query: FineTuningVariableQuery;
  onChange: (query: FineTuningVariableQuery) => void;
  gateway: Gateway;
}

/** Which of fine-tuning's things a variable lists. */
export function FineTuningVariableEditor({ query, onChange, gateway }: Props) {
  return (
    <ValuesFields
      types={TYPES}
      value={query.queryType}
      onChange={(queryType) => onChange({ refId: query.refId, queryType })}
      filters={
        <>
          {query.queryType === 'fineTuningJobs' && (
            <>
              <StatusesField
                gateway={gateway}
                values={query.statuses}
                onChange={(statuses) => onChange({ ...query, statuses })}
              />
              <ModelsField
                gateway={gateway}
                values={query.models}
                onChange={(models) => onChange({ ...query, models })}
              />
            </>
          )}
          {query.queryType === 'fineTuningCheckpoints' && (
            <JobsField
              gateway={gateway}
              placeholder="Jobs in the time range"
              values={query.jobIds}
              onChange={(jobIds) => onChange({ ...query, jobIds })}
            />
          )}
        </>
      }
    />
  );
}
