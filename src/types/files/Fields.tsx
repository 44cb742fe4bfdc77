import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { TrainingFilesQuery } from './query';
import { ListField } from '../../fields/ListField';
import type { FieldsProps } from '../definition';

export const Fields = (props: FieldsProps<TrainingFilesQuery>) => (
  <EditorRow>
    <ListField {...props} option="purposes" />
  </EditorRow>
);
