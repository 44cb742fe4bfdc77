import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { Text } from '@grafana/ui';
import { t } from '../../i18n';
import { listAt } from '../../catalog/lists';
import type { ListQuery } from './query';
import { ChoicesField } from '../../fields/ChoicesField';
import { OneField } from '../../fields/OneField';
import { alertColumns } from './alertColumns';
import { ColumnsField } from './ColumnsField';
import { isAlerting, type FieldsProps } from '../definition';
import { SourceFields } from './SourceFields';
import { TextOption } from '../../fields/TextOption';

export function Fields({ query, onChange, app }: FieldsProps<ListQuery>) {
  // An alert rule takes one column of numbers.
  const alerting = isAlerting(app);

  return (
    <SourceFields
      query={query}
      onChange={onChange}
      columnsOf={(list) => (alerting ? alertColumns(list) : list.columns)}
      withColumns={(changed, columns) => ({
        ...changed,
        columns,
        timeColumn: undefined,
        filterMember: undefined,
        filterValues: undefined,
      })}
      options={
        <ColumnsField
          value={query.columns}
          onChange={(columns) => onChange({ ...query, columns })}
          members={listAt(query.path)?.columns}
          tooltip={t(
            'Members of each item, and how they are shown; without any, all that hold a single value. The names on the way to a nested one are joined by dots. A type other than the values’ converts them.'
          )}
        />
      }
    >
      <EditorRow>
        <FilterFields query={query} onChange={onChange} />
        <TimeColumnField query={query} onChange={onChange} />
        {alerting && (
          <Text element="p" variant="bodySmall" color="secondary">
            {t(
              'An alert rule evaluates one column of numbers. Columns of text become the labels of its alert instances.'
            )}
          </Text>
        )}
      </EditorRow>
    </SourceFields>
  );
}

type Props = Pick<FieldsProps<ListQuery>, 'query' | 'onChange'>;

/** Which items are kept: those whose member has one of the values. */
function FilterFields({ query, onChange }: Props) {
  return (
    <>
      <TextOption
        label={t('Filter')}
        tooltip={t('A member of each item, such as state. Items without one of the values are left out.')}
        example={t('None, or state')}
        value={query.filterMember ?? ''}
        onChange={(member) => onChange({ ...query, filterMember: member || undefined })}
      />
      {query.filterMember && (
        <ChoicesField
          label={t('is')}
          placeholder={t('Any value')}
          options={NO_OPTIONS}
          values={query.filterValues}
          onChange={(filterValues) => onChange({ ...query, filterValues })}
        />
      )}
    </>
  );
}

const NO_OPTIONS: [] = [];

function TimeColumnField({ query, onChange }: Props) {
  const { columns = listAt(query.path)?.columns ?? [], timeColumn } = query;
  const times = columns.filter(({ type }) => type === undefined || type === 'time');
  return (
    <OneField
      label={t('Time column')}
      optional
      tooltip={t('Makes a time series of the list: its numbers over this column, labeled by the columns of text.')}
      placeholder={t('None: a table')}
      options={times.map(({ name, selector }) => ({ value: name || selector }))}
      value={timeColumn}
      onChange={(name) => onChange({ ...query, timeColumn: name })}
    />
  );
}
