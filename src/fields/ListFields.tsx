import React from 'react';
import { definitionOf } from '../queryTypes';
import type { TypedQuery } from '../types';
import type { FieldsProps } from '../types/definition';
import { ListRow, type ListOption } from './ListField';

/** The fields of a query whose options are choices from lists. */
export const Fields = (props: FieldsProps<TypedQuery>) => (
  <ListRow<Partial<Record<ListOption, string[]>> & TypedQuery>
    {...props}
    options={Object.keys(definitionOf(props.query).options) as ListOption[]}
  />
);
