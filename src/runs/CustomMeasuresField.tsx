import React from 'react';
import { EditorField } from '@grafana/plugin-ui';
import { t } from '../i18n';
import { MEASURES } from '../catalog/measures';
import type { CustomMeasure } from '../types/runs/query';
import { Rows, type RowColumn } from '../fields/Rows';
import { textColumn } from '../fields/textColumn';
import { UnitCell } from '../fields/UnitCell';

const COLUMNS: Array<RowColumn<CustomMeasure>> = [
  textColumn({
    title: 'Name',
    member: 'name',
    example: 'hottest',
    error: ({ name }, above) => whyNot(name.trim(), above),
  }),
  textColumn({
    title: 'PromQL',
    member: 'expr',
    example: 'max(max_over_time(DCGM_FI_DEV_GPU_TEMP{$selector}[$duration]))',
  }),
  { title: 'Unit', cell: (props) => <UnitCell {...props} /> },
];

/** Why a measure can't have a name: it would be that of another column of the table. */
function whyNot(name: string, above: CustomMeasure[]): string | undefined {
  if (MEASURES.some(({ id }) => id === name) || (name && above.some((other) => other.name.trim() === name))) {
    return t('A measure has this name. Choose another.');
  }
  return name.endsWith('_difference')
    ? t('Columns of a comparison with a baseline end in _difference. Choose another name.')
    : undefined;
}

interface Props {
  value: CustomMeasure[] | undefined;
  onChange: (custom: CustomMeasure[] | undefined) => void;
}

/** Measures of one's own, in PromQL that is evaluated at the end of each run. */
export function CustomMeasuresField({ value, onChange }: Props) {
  return (
    <EditorField
      label={t('Own measures')}
      optional
      tooltip={t(
        'PromQL at the end of each run. $selector stands for the matchers of its GPUs, $run for those of its own labels, $duration for its length.'
      )}
    >
      <Rows
        itemLabel={t('measure')}
        columns={COLUMNS}
        items={value}
        onChange={onChange}
        blank={{ name: '', expr: '' }}
        isBlank={({ name }) => name === ''}
      />
    </EditorField>
  );
}
