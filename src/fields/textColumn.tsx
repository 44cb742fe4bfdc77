import React from 'react';
import { FieldValidationMessage, Input } from '@grafana/ui';
import type { CellProps, RowColumn } from './Rows';
import { useCommitted } from './useCommitted';

interface Texts<Item> extends Pick<RowColumn<Item>, 'title'> {
  member: keyof Item;
  example: string | ((item: Item) => string);
  /** Says what is wrong with the text of an item, given the items above it. */
  error?: (item: Item, above: Item[]) => string | undefined;
  /** How a text is saved. */
  tidy?: (text: string) => string;
}

/** A column of texts, which count once they are finished. */
export const textColumn = <Item extends object>({ title, ...texts }: Texts<Item>): RowColumn<Item> => ({
  title,
  cell: (cell, above) => <TextCell {...cell} {...texts} above={above} />,
});

type TextProps<Item> = CellProps<Item> & Omit<Texts<Item>, 'title'> & { above: Item[] };

function TextCell<Item extends object>(props: TextProps<Item>) {
  const { item, onChange, member, example, error, tidy, above, ...cell } = props;
  const save = (text: string) => onChange({ [member]: text } as Partial<Item>);
  const problem = error?.(item, above);
  return (
    <>
      <Input
        {...cell}
        {...useCommitted(String(item[member] ?? ''), save, tidy)}
        placeholder={typeof example === 'string' ? example : example(item)}
        invalid={Boolean(problem)}
      />
      {problem && <FieldValidationMessage>{problem}</FieldValidationMessage>}
    </>
  );
}
