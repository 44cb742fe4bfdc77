import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { CapacitiesFormat, CapacitiesQuery } from './query';
import type { FieldsProps } from '../definition';
import { ListField } from '../../fields/ListField';
import { FormatField, type Format } from '../../fields/FormatField';

const FORMATS: Array<Format<CapacitiesFormat>> = [
  { value: 'table', label: 'Table', description: 'A row for each product and location' },
  {
    value: 'number',
    label: 'Number',
    description: 'A number labeled by type and location, for stat panels and alert rules',
  },
];

/** How much of each product is to be had where. */
export function Fields({ query, onChange, datasource, app }: FieldsProps<CapacitiesQuery>) {
  return (
    <EditorRow>
      <ListField option="productNames" query={query} onChange={onChange} datasource={datasource} />
      <ListField option="locations" query={query} onChange={onChange} datasource={datasource} />
      <FormatField formats={FORMATS} query={query} onChange={onChange} app={app} />
    </EditorRow>
  );
}
