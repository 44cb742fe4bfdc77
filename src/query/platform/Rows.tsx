import React, { useId, useState, type ReactNode } from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Button, IconButton, Text, useStyles2 } from '@grafana/ui';

/** What a cell gets: its row's item, how to change it, and the element that names it. */
export interface CellProps<Item> {
  item: Item;
  onChange: (changes: Partial<Item>) => void;
  'aria-labelledby': string;
}

export interface RowColumn<Item> {
  title: string;
  cell: (props: CellProps<Item>) => ReactNode;
}

interface Props<Item> {
  /** What a row is, in the singular: "parameter". */
  itemLabel: string;
  columns: Array<RowColumn<Item>>;
  items: Item[] | undefined;
  /** Gets nothing rather than an empty list, so that saved queries stay short. */
  onChange: (items: Item[] | undefined) => void;
  /** A new row. */
  blank: Item;
  /** True for a row that says nothing. It is not saved. */
  isBlank: (item: Item) => boolean;
  /** Rows can't be added or removed. */
  disabled?: boolean;
}

/** A list of rows that can be added to, changed and removed. A row without its most important cell is not saved. */
export function Rows<Item extends object>({ items = [], ...props }: Props<Item>) {
  const { itemLabel, columns, onChange, blank, isBlank, disabled = false } = props;
  const styles = useStyles2(getStyles);
  const id = useId();
  const [added, setAdded] = useState<Item>();
  const rows = added ? [...items, added] : items;

  const save = (changed: Item[]) => onChange(changed.length > 0 ? changed : undefined);
  const change = (index: number, item: Item) => {
    if (index < items.length) {
      save(items.map((old, at) => (at === index ? item : old)).filter((one) => !isBlank(one)));
    } else if (isBlank(item)) {
      setAdded(item);
    } else {
      setAdded(undefined);
      save([...items, item]);
    }
  };
  const remove = (index: number) =>
    index < items.length ? save(items.filter((_, at) => at !== index)) : setAdded(undefined);

  return (
    <div className={styles.rows}>
      {rows.length > 0 && (
        <div className={styles.row}>
          {columns.map(({ title }, column) => (
            <span key={title} id={`${id}-${column}`} className={styles.cell}>
              <Text variant="bodySmall" color="secondary">
                {title}
              </Text>
            </span>
          ))}
        </div>
      )}
      {rows.map((item, index) => (
        <div key={index} className={styles.row} role="group" aria-label={`${itemLabel} ${index + 1}`}>
          {columns.map(({ title, cell }, column) => (
            <div key={title} className={styles.cell}>
              {cell({
                item,
                onChange: (changes) => change(index, { ...item, ...changes }),
                'aria-labelledby': `${id}-${column}`,
              })}
            </div>
          ))}
          <IconButton
            name="trash-alt"
            aria-label={`Remove ${itemLabel} ${index + 1}`}
            disabled={disabled}
            onClick={() => remove(index)}
          />
        </div>
      ))}
      <div>
        <Button
          size="sm"
          variant="secondary"
          icon="plus"
          disabled={disabled || added !== undefined}
          onClick={() => setAdded(blank)}
        >
          Add {itemLabel}
        </Button>
      </div>
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  // In a narrow window rows are moved sideways. The room around them is for the ring of what has the focus.
  rows: css({
    display: 'flex',
    flexDirection: 'column',
    gap: theme.spacing(0.5),
    margin: theme.spacing(-0.5),
    overflowX: 'auto',
    padding: theme.spacing(0.5),
  }),
  row: css({ alignItems: 'center', display: 'flex', gap: theme.spacing(1) }),
  cell: css({ flexShrink: 1, minWidth: theme.spacing(16), width: theme.spacing(26) }),
});
