import React from 'react';
import { once } from 'lodash';
import { getValueFormats } from '@grafana/data';
import { Combobox, type ComboboxOption } from '@grafana/ui';
import { t } from '../i18n';
import type { CellProps } from './Rows';

/** Grafana's own picker of units does not follow when a query is replaced, for example by a ready-made one. */
export function UnitCell<Item extends { unit?: string }>({ item, onChange, ...cell }: CellProps<Item>) {
  return (
    <Combobox
      {...cell}
      isClearable
      createCustomValue
      customValueDescription={t('Use as a unit')}
      placeholder={t('None, or bytes')}
      options={units()}
      value={item.unit ?? null}
      onChange={(unit) => onChange({ unit: unit?.value } as Partial<Item>)}
    />
  );
}

/** Grafana's units. They are the same as long as the page is open. */
const units = once((): ComboboxOption[] =>
  getValueFormats().flatMap(({ text, submenu }) =>
    submenu.map((unit) => ({ value: unit.value, label: unit.text, description: text }))
  )
);
