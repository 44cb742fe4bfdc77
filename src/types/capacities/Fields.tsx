import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { CapacitiesFormat, CapacitiesQuery } from './query';
import { ChoiceField } from '../../fields/ChoiceField';
import { isAlerting } from '../../queryTypes';
import type { FieldsProps } from '../definition';
import { LocationsField, ProductsField } from '../../fields/ListFields';

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
  const offers = datasource.capacities;
  return (
    <EditorRow>
      <ProductsField
        offers={offers}
        values={query.productNames}
        onChange={(productNames) => onChange({ ...query, productNames })}
      />
      <LocationsField
        offers={offers}
        values={query.locations}
        onChange={(locations) => onChange({ ...query, locations })}
      />
      {/* An alert rule gets numbers in every format. */}
      {!isAlerting(app) && (
        <ChoiceField
          label="Format"
          options={FORMATS}
          value={query.format ?? 'table'}
          onChange={(format) => onChange({ ...query, format })}
        />
      )}
    </EditorRow>
  );
}
