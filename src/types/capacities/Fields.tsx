import React from 'react';
import type { CapacitiesFormat, CapacitiesQuery } from './query';
import type { FieldsProps } from '../definition';
import { ListRow } from '../../fields/ListField';
import { FormatField, type Format } from '../../fields/FormatField';

const FORMATS: Array<Format<CapacitiesFormat>> = [
  { value: 'table', label: 'Table', description: 'A row for each product and location' },
  {
    value: 'number',
    label: 'Number',
    description: 'A number labeled by type and location, for stat panels and alert rules',
  },
];

export const Fields = (props: FieldsProps<CapacitiesQuery>) => (
  <ListRow {...props} options={['productNames', 'locations']}>
    <FormatField {...props} formats={FORMATS} />
  </ListRow>
);
