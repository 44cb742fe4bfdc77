import React from 'react';
import type { JobFilters } from '../types/jobFilters';
import type { Gateway } from '../fineTuning/Gateway';
import { JobsField, ModelsField, StatusesField } from './FilterFields';
import { useList } from './useList';

interface Props<Query> {
  query: Query;
  onChange: (query: Query) => void;
  gateway: Gateway;
}

/** Of which jobs: by name, by status, by model. */
export function JobFilterFields<Query extends JobFilters>({ query, onChange, gateway }: Props<Query>) {
  // The error of the list of jobs is mostly that of the other lists, too.
  const { error } = useList(gateway.jobs);
  return (
    <>
      <JobsField gateway={gateway} values={query.jobIds} onChange={(jobIds) => onChange({ ...query, jobIds })} />
      <StatusesField
        gateway={gateway}
        shownError={error}
        values={query.statuses}
        onChange={(statuses) => onChange({ ...query, statuses })}
      />
      <ModelsField
        gateway={gateway}
        shownError={error}
        values={query.models}
        onChange={(models) => onChange({ ...query, models })}
      />
    </>
  );
}
