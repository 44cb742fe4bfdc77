import React, { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { css } from '@emotion/css';
import { isEqual, uniqueId } from 'lodash';
import type { GrafanaTheme2 } from '@grafana/data';
import { EditorField } from '@grafana/plugin-ui';
import { Button, FieldValidationMessage, IconButton, Text, useStyles2 } from '@grafana/ui';
import { t } from '../i18n';

/** What a cell gets: its row's item, how to change it, and the element that names it. */
export interface CellProps<Item> {
  item: Item;
  onChange: (changes: Partial<Item>) => void;
  'aria-labelledby': string;
  disabled: boolean;
}

export interface RowColumn<Item> {
  /** In English, as in a table. */
  title: string;
  cell: (props: CellProps<Item>, above: Item[]) => ReactNode;
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
  /** What the first column has. A row in which it is empty can't be saved. It stays on screen. */
  required: keyof Item;
  /** Whether a row can't be saved because of those above it. */
  isRepeated?: (item: Item, above: Item[]) => boolean;
  /** Rows can't be added or removed. */
  disabled?: boolean;
}

interface Row<Item> {
  key: string;
  item: Item;
}

/** A list of rows that can be added to, changed and removed. A row without its most important cell is not saved. */
export function Rows<Item extends object>({ items, onChange, required, isRepeated, ...props }: Props<Item>) {
  const { itemLabel, columns, blank, disabled = false } = props;
  const styles = useStyles2(getStyles);
  const id = useId();
  const isSaved = (item: Item, above: Item[]) => item[required] !== '' && !isRepeated?.(item, above);
  const [rows, setRows] = useRows(items, isSaved, onChange);
  const table = useRef<HTMLDivElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const [added, setAdded] = useState<string>();

  useEffect(() => {
    if (added) {
      table.current?.querySelector<HTMLElement>('[role=group]:last-of-type input')?.focus();
    }
  }, [added]);

  const add = () => {
    const row = newRow(blank);
    setRows([...rows, row]);
    setAdded(row.key);
  };
  const remove = (key: string) => {
    setRows(rows.filter((row) => row.key !== key));
    addButton.current?.focus();
  };

  return (
    <div className={styles.rows}>
      {rows.length > 0 && (
        <div ref={table} className={styles.table}>
          <div className={styles.row}>
            {columns.map(({ title }, column) => (
              <span key={title} id={`${id}-${column}`} className={styles.cell}>
                <Text variant="bodySmall" color="secondary">
                  {t(title)}
                </Text>
              </span>
            ))}
          </div>
          {rows.map(({ key, item }, index) => (
            <div key={key} className={styles.row} role="group" aria-label={[itemLabel, index + 1].join(' ')}>
              {columns.map(({ title, cell }, column) => (
                <div key={title} className={styles.cell}>
                  {cell(
                    {
                      item,
                      onChange: (changes) =>
                        setRows(rows.map((row) => (row.key === key ? { key, item: { ...item, ...changes } } : row))),
                      'aria-labelledby': `${id}-${column}`,
                      disabled,
                    },
                    rows.slice(0, index).map((row) => row.item)
                  )}
                  {column === 0 && item[required] === '' && !isEqual(item, blank) && (
                    <FieldValidationMessage>
                      {t('Not saved without “{{title}}”.', { title: t(title) })}
                    </FieldValidationMessage>
                  )}
                </div>
              ))}
              <IconButton
                name="trash-alt"
                aria-label={t('Remove {{item}} {{number}}', { item: itemLabel, number: index + 1 })}
                disabled={disabled}
                onClick={() => remove(key)}
              />
            </div>
          ))}
        </div>
      )}
      <div>
        <Button ref={addButton} size="sm" variant="secondary" icon="plus" disabled={disabled} onClick={add}>
          {t('Add {{item}}', { item: itemLabel })}
        </Button>
      </div>
    </div>
  );
}

interface FieldProps<Item> extends Props<Item> {
  label: string;
  tooltip: string;
  optional?: boolean;
}

/** An option of a query that is a list of rows. */
export const RowsField = <Item extends object>({ label, tooltip, optional, ...rows }: FieldProps<Item>) => (
  <EditorField label={label} tooltip={tooltip} optional={optional}>
    <Rows {...rows} />
  </EditorField>
);

const newRow = <Item,>(item: Item): Row<Item> => ({ key: uniqueId('row'), item });

/** The rows on screen: the saved items, and those that can't be saved yet. Rows that are replaced from outside follow. */
function useRows<Item>(
  items: Item[] = [],
  isSaved: (item: Item, above: Item[]) => boolean,
  onChange: (items: Item[] | undefined) => void
): [rows: Array<Row<Item>>, setRows: (rows: Array<Row<Item>>) => void] {
  const [state, setState] = useState({
    rows: items.map(newRow),
    items,
    // Changes of these rows that have not come back: in Explore, the saved items follow later.
    pending: [] as Item[][],
  });

  if (!isEqual(items, state.items)) {
    const arrived = state.pending.findIndex((sent) => isEqual(sent, items));
    const replaced = items.map((item, index) => ({ key: state.rows[index]?.key ?? uniqueId('row'), item }));
    setState({
      rows: arrived < 0 ? replaced : state.rows,
      items,
      pending: arrived < 0 ? [] : state.pending.slice(arrived + 1),
    });
  }

  const setRows = (rows: Array<Row<Item>>) => {
    const all = rows.map(({ item }) => item);
    const saved = all.filter((item, index) => isSaved(item, all.slice(0, index)));
    if (isEqual(saved, state.pending.at(-1) ?? state.items)) {
      setState({ ...state, rows });
    } else {
      setState({ ...state, rows, pending: [...state.pending, saved] });
      onChange(saved.length > 0 ? saved : undefined);
    }
  };
  return [state.rows, setRows];
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
  table: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(0.5) }),
  row: css({ alignItems: 'center', display: 'flex', gap: theme.spacing(1) }),
  cell: css({ flexShrink: 1, minWidth: theme.spacing(16), width: theme.spacing(26) }),
});
