import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { Text } from '@grafana/ui';
import { lazyEditor } from '../lazyEditor';
import { definitionOf } from '../queryTypes';
import type { TypedQuery } from '../types';
import type { FieldsProps } from '../types/definition';

const ListFields = lazyEditor(
  async () => (await import(/* webpackChunkName: "fields" */ '../fields/ListFields')).ListFields
);

/** The fields of a query, and what it still lacks. */
export function TypedFields(props: FieldsProps<TypedQuery>) {
  const { Fields = ListFields, problem } = definitionOf(props.query);
  const open = problem?.(props.query);
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
