import React, { type PropsWithChildren } from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { TypedQuery } from '../types';
import type { FieldsProps } from '../types/definition';
import type { JobFilters } from '../types/jobFilters';
import { JobFilterFields } from './JobFilterFields';

/** Of which jobs, with further fields in the same row. */
export const JobsRow = <Query extends TypedQuery & JobFilters>(props: PropsWithChildren<FieldsProps<Query>>) => (
  <EditorRow>
    <JobFilterFields query={props.query} onChange={props.onChange} gateway={props.datasource.gateway} />
    {props.children}
  </EditorRow>
);
