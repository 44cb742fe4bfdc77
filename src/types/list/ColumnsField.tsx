import React, { useMemo } from 'react';
import { Combobox, type ComboboxOption } from '@grafana/ui';
import { t, translated } from '../../i18n';
import type { Column, ColumnType } from './query';
import { RowsField, type RowColumn } from '../../fields/Rows';
import { textColumn } from '../../fields/textColumn';

const TYPES: Array<ComboboxOption<ColumnType>> = [
  { value: 'string', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'True or false' },
  { value: 'time', label: 'Time', description: 'RFC 3339, or Unix seconds or milliseconds' },
];

const MEMBER = { title: 'Member' };

/** Which member a column is, of those that a ready-made list has, or any. */
const memberOf = (members: Column[]): RowColumn<Column> => ({
  ...MEMBER,
  cell: ({ item, onChange, ...cell }) => (
    <Combobox
      {...cell}
      createCustomValue
      customValueDescription={t('Use as a member')}
      placeholder={t('created_at, or owner.team')}
      options={members.map(({ selector }) => ({ value: selector }))}
      value={item.selector || null}
      onChange={({ value }) =>
        onChange(members.find(({ selector }) => selector === value) ?? { selector: value.trim() })
      }
    />
  ),
});

const SHOWN: Array<RowColumn<Column>> = [
  textColumn({ title: 'Title', member: 'name', example: ({ selector }) => selector || 'Created' }),
  {
    title: 'Type',
    cell: ({ item, onChange, ...cell }) => (
      <Combobox
        {...cell}
        isClearable
        placeholder={t('As the values are')}
        options={TYPES.map(translated)}
        value={item.type ?? null}
        onChange={(type) => onChange({ type: type?.value })}
      />
    ),
  },
  textColumn({ title: 'Unit', member: 'unit', example: 'bytes' }),
];

const BLANK: Column = { selector: '' };
const NONE: Column[] = [];

interface Props {
  value: Column[] | undefined;
  onChange: (columns: Column[] | undefined) => void;
  tooltip: string;
  /** What a ready-made list has. */
  members?: Column[];
}

export function ColumnsField({ value, onChange, tooltip, members = NONE }: Props) {
  const columns = useMemo(() => [memberOf(members), ...SHOWN], [members]);
  return (
    <RowsField
      label={t('Columns')}
      optional
      tooltip={tooltip}
      itemLabel={t('column')}
      columns={columns}
      items={value}
      onChange={onChange}
      blank={BLANK}
      required="selector"
    />
  );
}
