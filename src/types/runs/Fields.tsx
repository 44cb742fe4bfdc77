import React from 'react';
import { MEASURES } from '../../catalog/measures';
import { t } from '../../i18n';
import type { CustomMeasure, RunsFormat, RunsQuery } from './query';
import { RunFields } from '../../runs/RunFields';
import type { FieldsProps } from '../definition';
import { FormatField, type Format } from '../../fields/FormatField';
import { ListRow } from '../../fields/ListField';
import { RowsField, type RowColumn } from '../../fields/Rows';
import { textColumn } from '../../fields/textColumn';
import { UnitCell } from '../../fields/UnitCell';

const FORMATS: Array<Format<RunsFormat>> = [
  { value: 'table', label: 'Table', description: 'A row for each run' },
  { value: 'number', label: 'Number', description: 'Numbers labeled by run, for stat panels and alert rules' },
];

const OWN_MEASURES: Array<RowColumn<CustomMeasure>> = [
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

const BLANK: CustomMeasure = { name: '', expr: '' };

/** Why a measure can't have a name: it would be that of another column of the table. */
function whyNot(name: string, above: CustomMeasure[]): string | undefined {
  if (MEASURES.some(({ id }) => id === name) || (name && above.some((other) => other.name.trim() === name))) {
    return t('A measure has this name. Choose another.');
  }
  return name.endsWith('_difference')
    ? t('Columns of a comparison with a baseline end in _difference. Choose another name.')
    : undefined;
}

/** What of each run is measured. */
export function Fields(props: FieldsProps<RunsQuery>) {
  const { query, onChange } = props;
  return (
    <RunFields
      {...props}
      options={
        <RowsField
          label={t('Own measures')}
          optional
          tooltip={t(
            'PromQL at the end of each run. $selector stands for the matchers of its GPUs, $run for those of its own labels, $duration for its length.'
          )}
          itemLabel={t('measure')}
          columns={OWN_MEASURES}
          items={query.custom}
          onChange={(custom) => onChange({ ...query, custom })}
          blank={BLANK}
          required="name"
        />
      }
    >
      <ListRow {...props} options={['measures']}>
        <FormatField {...props} formats={FORMATS} />
      </ListRow>
    </RunFields>
  );
}
