import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { t } from '../../i18n';
import type { CapacitiesFormat, CapacitiesQuery } from './query';
import { ChoiceField } from '../../fields/ChoiceField';
import { isAlerting } from '../../queryTypes';
import type { FieldsProps } from '../definition';
import { ListField } from '../../fields/ListField';

const FORMATS: Array<{ value: CapacitiesFormat; label: string; description: string }> = [
  { value: 'table', label: 'Table', description: 'A row for each product and location' },
  {
    value: 'number',
    label: 'Number',
    description: 'A number labeled by type and location, for stat panels and alert rules',
  },
];

/** How much of each product is to be had where. */
export function Fields({ query, onChange, datasource, app }: FieldsProps<CapacitiesQuery>) {
  return (
    <EditorRow>
      <ListField option="productNames" query={query} onChange={onChange} datasource={datasource} />
      <ListField option="locations" query={query} onChange={onChange} datasource={datasource} />
      {/* An alert rule gets numbers in every format. */}
      {!isAlerting(app) && (
        <ChoiceField
          label={t('Format')}
          options={FORMATS}
          value={query.format ?? 'table'}
          onChange={(format) => onChange({ ...query, format })}
        />
      )}
    </EditorRow>
  );
}
