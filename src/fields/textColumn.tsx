import React from 'react';
import { CommittedInput } from './CommittedInput';
import type { RowColumn } from './Rows';

interface Texts<Item> extends Pick<RowColumn<Item>, 'title'> {
  member: keyof Item;
  example: string | ((item: Item) => string);
  /** Says what is wrong with the text of an item, given the items above it. */
  error?: (item: Item, above: Item[]) => string | undefined;
  /** How a text is saved. */
  tidy?: (text: string) => string;
}

/** A column of texts. */
export const textColumn = <Item extends object>({
  title,
  member,
  example,
  error,
  tidy = (text) => text,
}: Texts<Item>): RowColumn<Item> => ({
  title,
  cell: ({ item, onChange, ...cell }, above) => (
    <CommittedInput
      {...cell}
      placeholder={typeof example === 'string' ? example : example(item)}
      value={String(item[member] ?? '')}
      onCommit={(text) => onChange({ [member]: tidy(text) } as Partial<Item>)}
      error={error?.(item, above)}
    />
  ),
});
