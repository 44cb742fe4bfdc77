import React, { type ComponentProps, type PropsWithChildren } from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { JobFilters } from '../types/jobFilters';
import { ListField } from './ListField';

type Props<Query extends JobFilters & { queryType?: string }> = Omit<
  ComponentProps<typeof ListField<Query>>,
  'option' | 'placeholder'
>;

/** Of which jobs: by name, by status, by model. */
export const JobFilterFields = <Query extends JobFilters & { queryType?: string }>({
  query,
  onChange,
  datasource,
}: Props<Query>) =>
  (['jobIds', 'statuses', 'models'] as const).map((option) => (
    <ListField key={option} option={option} query={query} onChange={onChange} datasource={datasource} />
  ));

/** The same, with further fields in the same row. */
export const JobsRow = <Query extends JobFilters & { queryType?: string }>({
  children,
  ...props
}: PropsWithChildren<Props<Query>>) => (
  <EditorRow>
    <JobFilterFields {...props} />
    {children}
  </EditorRow>
);
