import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { FineTuningCheckpointsQuery } from '../../types';
import type { FieldsProps } from './fieldsProps';
import { JobFilterFields } from './JobFilterFields';

export function CheckpointsFields({ query, onChange, gateway }: FieldsProps<FineTuningCheckpointsQuery>) {
  return (
    <EditorRow>
      <JobFilterFields query={query} onChange={onChange} gateway={gateway} />
    </EditorRow>
  );
}
