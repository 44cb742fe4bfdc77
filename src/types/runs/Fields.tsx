import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { RunsFormat, RunsQuery } from './query';
import { CustomMeasuresField } from '../../runs/CustomMeasuresField';
import { RunFields } from '../../runs/RunFields';
import type { FieldsProps } from '../definition';
import { FormatField, type Format } from '../../fields/FormatField';
import { ListField } from '../../fields/ListField';

const FORMATS: Array<Format<RunsFormat>> = [
  { value: 'table', label: 'Table', description: 'A row for each run' },
  { value: 'number', label: 'Number', description: 'Numbers labeled by run, for stat panels and alert rules' },
];

/** What of each run is measured. */
export function Fields(props: FieldsProps<RunsQuery>) {
  const { query, onChange } = props;
  return (
    <RunFields
      {...props}
      options={<CustomMeasuresField value={query.custom} onChange={(custom) => onChange({ ...query, custom })} />}
    >
      <EditorRow>
        <ListField {...props} option="measures" />
        <FormatField {...props} formats={FORMATS} />
      </EditorRow>
    </RunFields>
  );
}
