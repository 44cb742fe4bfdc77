import React from 'react';
import { CommittedInput } from './CommittedInput';
import type { RowColumn } from './Rows';

/**
 * A column of texts.
 *
 * @param error says what is wrong with the text of an item, given the items above it
 */
export const textColumn = <Item extends object>(
  title: string,
  option: keyof Item,
  placeholder: string | ((item: Item) => string),
  error?: (item: Item, above: Item[]) => string | undefined
): RowColumn<Item> => ({
  title,
  cell: ({ item, onChange, ...cell }, above) => (
    <CommittedInput
      {...cell}
      placeholder={typeof placeholder === 'string' ? placeholder : placeholder(item)}
      value={String(item[option] ?? '')}
      onCommit={(text) => onChange({ [option]: text } as Partial<Item>)}
      error={error?.(item, above)}
    />
  ),
});
