import React from 'react';
import type { RunAnnotationsQuery } from './query';
import { RunSourceFields } from '../../runs/RunSourceFields';
import type { FieldsProps } from '../definition';

/** Which runs are drawn over panels. */
export function Fields({ query, onChange, datasource }: FieldsProps<RunAnnotationsQuery>) {
  return <RunSourceFields query={query} onChange={onChange} datasource={datasource} />;
}
