import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { CapacitiesFormat, CapacitiesQuery } from './query';
import { ChoiceField } from '../../fields/ChoiceField';
import { isAlerting } from '../../queryTypes';
import type { FieldsProps } from '../definition';
import { useList } from '../../fields/useList';
import { LocationsField, ProductsField } from '../../fields/CapacityFields';

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
  // Both lists come from one response, and fail with it.
  const { error } = useList(offers.types);
  return (
    <EditorRow>
      <ProductsField
        offers={offers}
        values={query.productNames}
        onChange={(productNames) => onChange({ ...query, productNames })}
      />
      <LocationsField
        shownError={error}
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
