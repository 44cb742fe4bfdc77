import React from 'react';
import { mapValues } from 'lodash';
import { EditorRow } from '@grafana/plugin-ui';
import { Text } from '@grafana/ui';
import { lazyEditor } from '../lazyEditor';
import { definitionOf, QUERY_TYPES, type QueryType } from '../queryTypes';
import type { TypedQuery } from '../types';
import type { FieldsProps } from '../types/definition';

const loadChoices = () => import(/* webpackChunkName: "fields" */ '../fields/ListFields');

const FIELDS = mapValues(QUERY_TYPES, (_, queryType) => {
  const { load = loadChoices } = definitionOf({ queryType: queryType as QueryType });
  return lazyEditor(async () => (await load()).Fields);
});

/** The fields of a query, and what it still lacks. */
export function TypedFields(props: FieldsProps<TypedQuery>) {
  const { query } = props;
  const Fields = FIELDS[query.queryType];
  const open = definitionOf(query).problem?.(query);
  return (
    <>
      <Fields {...props} />
      {open && (
        <EditorRow>
          <Text color="secondary">{open}</Text>
        </EditorRow>
      )}
    </>
  );
}
