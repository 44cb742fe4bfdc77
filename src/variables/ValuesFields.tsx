import React, { type ReactNode } from 'react';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { EditorStack } from '../query/EditorStack';
import { Picker } from '../query/Picker';

/** What a variable's values can be. */
export interface ValueType<T extends string> {
  value: T;
  label: string;
  description: string;
}

interface Props<T extends string> {
  types: Array<ValueType<T>>;
  value: T;
  onChange: (type: T) => void;
  /** What narrows the values, in the same row. */
  filters?: ReactNode;
  /** Further rows. */
  children?: ReactNode;
}

/** The frame of a variable's editor: what its values are, and what narrows them. */
export function ValuesFields<T extends string>({ types, value, onChange, filters, children }: Props<T>) {
  return (
    <EditorStack>
      <EditorRow>
        <EditorField label="Values">
          <Picker aria-label="Values" options={types} value={value} onChange={onChange} />
        </EditorField>
        {filters}
      </EditorRow>
      {children}
    </EditorStack>
  );
}
