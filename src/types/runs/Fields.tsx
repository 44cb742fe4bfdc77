import React from 'react';
import type { RunsFormat, RunsQuery } from './query';
import { RunFields } from '../../runs/RunFields';
import type { FieldsProps } from '../definition';
import { FormatField, type Format } from '../../fields/FormatField';
import { ListRow } from '../../fields/ListField';

const FORMATS: Array<Format<RunsFormat>> = [
  { value: 'table', label: 'Table', description: 'A row for each run' },
  { value: 'number', label: 'Number', description: 'Numbers labeled by run, for stat panels and alert rules' },
];

export function Fields(props: FieldsProps<RunsQuery>) {
  return (
    <RunFields {...props}>
      <ListRow {...props} options={['measures']}>
        <FormatField {...props} formats={FORMATS} />
      </ListRow>
    </RunFields>
  );
}
