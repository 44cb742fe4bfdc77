import React from 'react';
import type { RunAnnotationsQuery } from './query';
import { RunSourceFields } from '../../runs/RunSourceFields';
import type { FieldsProps } from '../definition';

export function Fields({ query, onChange, datasource }: FieldsProps<RunAnnotationsQuery>) {
  return <RunSourceFields query={query} onChange={onChange} datasource={datasource} />;
}
