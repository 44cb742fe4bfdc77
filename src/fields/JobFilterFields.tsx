import React from 'react';
import type { JobFilters } from '../types/jobFilters';
import type { Gateway } from '../fineTuning/Gateway';
import { JobsField, ModelsField, StatusesField } from './ListFields';

interface Props<Query> {
  query: Query;
  onChange: (query: Query) => void;
  gateway: Gateway;
}

/** Of which jobs: by name, by status, by model. */
export const JobFilterFields = <Query extends JobFilters>({ query, onChange, gateway }: Props<Query>) => (
  <>
    <JobsField gateway={gateway} values={query.jobIds} onChange={(jobIds) => onChange({ ...query, jobIds })} />
    <StatusesField
      gateway={gateway}
      values={query.statuses}
      onChange={(statuses) => onChange({ ...query, statuses })}
    />
    <ModelsField gateway={gateway} values={query.models} onChange={(models) => onChange({ ...query, models })} />
  </>
);
