import React from 'react';
import { mapValues } from 'lodash';
import { lazyEditor } from '../lazyEditor';
import { definitionOf, QUERY_TYPES, type QueryType } from '../queryTypes';
import type { TypedQuery } from '../types';
import type { FieldsProps } from '../types/definition';

const loadChoices = () => import(/* webpackChunkName: "fields" */ '../fields/ListFields');

const FIELDS = mapValues(QUERY_TYPES, (_, queryType) => {
  const { load = loadChoices } = definitionOf({ queryType: queryType as QueryType });
  return lazyEditor(async () => (await load()).Fields);
});

/** The fields of a query. */
export function TypedFields(props: FieldsProps<TypedQuery>) {
  const Fields = FIELDS[props.query.queryType];
  return <Fields {...props} />;
}
