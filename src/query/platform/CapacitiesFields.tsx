import React from 'react';
import type { CoreApp } from '@grafana/data';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import type { OfferLists } from '../../platform/OfferLists';
import type { CapacitiesFormat, CapacitiesQuery } from '../../platform/query';
import { ChoiceField } from '../ChoiceField';
import { isAlerting } from '../../queryTypes';
import { useList } from '../useList';
import { LocationsField, ProductsField } from './CapacityFields';
import { CommittedInput } from './CommittedInput';

const FORMATS: Array<{ value: CapacitiesFormat; label: string; description: string }> = [
  { value: 'table', label: 'Table', description: 'A row for each product and location' },
  {
    value: 'number',
    label: 'Number',
    description: 'A number labeled by type and location, for stat panels and alert rules',
  },
  { value: 'gpus', label: 'GPUs', description: 'How many GPUs each location has, and whether they are enough' },
];

interface Props {
  query: CapacitiesQuery;
  onChange: (query: CapacitiesQuery) => void;
  offers: OfferLists;
  app: CoreApp | undefined;
}

/** How much of each product is to be had where. */
export function CapacitiesFields({ query, onChange, offers, app }: Props) {
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
      {query.format === 'gpus' && !isAlerting(app) && (
        <EditorField
          label="GPUs needed"
          tooltip="Says for each location whether it has that many. Dashboard variables work."
          htmlFor={`gpus-needed-${query.refId}`}
        >
          <CommittedInput
            id={`gpus-needed-${query.refId}`}
            value={query.gpusNeeded ?? ''}
            placeholder="64"
            onCommit={(gpusNeeded) => onChange({ ...query, gpusNeeded: gpusNeeded || undefined })}
          />
        </EditorField>
      )}
    </EditorRow>
  );
}
