import React from 'react';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import type { CapacityLists } from '../../platform/CapacityLists';
import type { CapacitiesFormat, CapacitiesQuery } from '../../platform/query';
import { ChoiceGroup } from '../ChoiceGroup';
import { LocationsField, ProductsField } from './CapacityFields';

const FORMATS: Array<{ value: CapacitiesFormat; label: string; description: string }> = [
  { value: 'table', label: 'Table', description: 'A row for each product and location' },
  {
    value: 'number',
    label: 'Number',
    description: 'A number labelled by type and location, for stat panels and alert rules',
  },
];

interface Props {
  query: CapacitiesQuery;
  onChange: (query: CapacitiesQuery) => void;
  capacities: CapacityLists;
}

/** How much of each product is to be had where. */
export function CapacitiesFields({ query, onChange, capacities }: Props) {
  return (
    <EditorRow>
      <ProductsField
        capacities={capacities}
        values={query.productNames}
        onChange={(productNames) => onChange({ ...query, productNames })}
      />
      <LocationsField
        capacities={capacities}
        values={query.locations}
        onChange={(locations) => onChange({ ...query, locations })}
      />
      <EditorField label="Format">
        <ChoiceGroup
          aria-label="Format"
          options={FORMATS}
          value={query.format ?? 'table'}
          onChange={(format) => onChange({ ...query, format })}
        />
      </EditorField>
    </EditorRow>
  );
}
