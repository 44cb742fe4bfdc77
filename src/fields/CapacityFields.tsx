import React, { useMemo } from 'react';
import type { OfferLists } from '../mainapi/OfferLists';
import { ChoicesField } from './ChoicesField';
import { useList } from './useList';

interface Props {
  offers: OfferLists;
  values?: string[];
  /** An error that is shown elsewhere already. */
  shownError?: string;
  onChange: (values: string[] | undefined) => void;
}

/** Which products: types of machines. */
export function ProductsField({ offers, ...field }: Props) {
  const { items, ...state } = useList(offers.types);
  const options = useMemo(() => items.map((value) => ({ value })), [items]);
  return (
    <ChoicesField
      {...field}
      {...state}
      label="Products"
      itemLabel="product"
      tooltip="Choose, type a product's name such as a100.8x, or use a dashboard variable."
      placeholder="All products"
      options={options}
    />
  );
}

/** Products to be had where. */
export function LocationsField({ offers, ...field }: Props) {
  const { items, ...state } = useList(offers.locations);
  const options = useMemo(() => items.map((value) => ({ value })), [items]);
  return (
    <ChoicesField
      {...field}
      {...state}
      label="Locations"
      itemLabel="location"
      tooltip="Choose, type a location such as us-east1-a, or use a dashboard variable."
      placeholder="All locations"
      options={options}
    />
  );
}
