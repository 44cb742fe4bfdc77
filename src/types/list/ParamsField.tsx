import React from 'react';
import { EditorField } from '@grafana/plugin-ui';
import { t } from '../../i18n';
import type { Param } from './query';
import { Rows } from '../../fields/Rows';
import { textColumn } from '../../fields/textColumn';

const COLUMNS = [
  textColumn<Param>({ title: 'Name', member: 'name', example: 'start_time' }),
  textColumn<Param>({ title: 'Value', member: 'value', example: '$__timeFrom()' }),
];

const BLANK: Param = { name: '', value: '' };

interface Props {
  value: Param[] | undefined;
  onChange: (params: Param[] | undefined) => void;
}

/** The query parameters of a list. */
export function ParamsField({ value, onChange }: Props) {
  return (
    <EditorField
      label={t('Parameters')}
      optional
      tooltip={t(
        '$__timeFrom() and $__timeTo() stand for the ends of the time range. Values may be dashboard variables; several values are joined by commas.'
      )}
    >
      <Rows
        itemLabel={t('parameter')}
        columns={COLUMNS}
        items={value}
        onChange={onChange}
        blank={BLANK}
        isBlank={({ name }) => name === ''}
      />
    </EditorField>
  );
}
