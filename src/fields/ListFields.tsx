import React, { useMemo, type ComponentProps } from 'react';
import useAsync from 'react-use/lib/useAsync';
import type { ComboboxOption } from '@grafana/ui';
import type { Gateway, JobChoice, ModelChoice, StatusChoice } from '../fineTuning/Gateway';
import type { OfferLists } from '../mainapi/OfferLists';
import { ChoicesField } from './ChoicesField';

type FieldProps = ComponentProps<typeof ChoicesField>;

interface ListProps<Item> extends Omit<FieldProps, 'options' | 'loading' | 'error'> {
  /** Loads the list when the field is shown. It stays the same between renders, and rejects with a sentence for the user. */
  load: () => Promise<Item[]>;
  /** Stays the same between renders. */
  optionOf: (item: Item) => ComboboxOption;
}

/** A choice of several from a list. */
export function ListField<Item>({ load, optionOf, ...field }: ListProps<Item>) {
  const { value: items = NONE, loading, error } = useAsync(load, [load]);
  const options = useMemo(() => items.map(optionOf), [items, optionOf]);
  return <ChoicesField {...field} options={options} loading={loading} error={error?.message} />;
}

const NONE: never[] = [];

/** What is chosen, and what of its look may differ. */
type Choice = Pick<FieldProps, 'values' | 'onChange'> & Partial<Pick<FieldProps, 'placeholder'>>;

/** Which jobs, by name. */
export const JobsField = ({ gateway, ...field }: Choice & { gateway: Gateway }) => (
  <ListField
    placeholder="All jobs"
    {...field}
    load={gateway.jobs}
    optionOf={jobOption}
    label="Jobs"
    itemLabel="job"
    wide
    tooltip="Choose by name, type a job's id, or use a dashboard variable such as $job."
  />
);

/** Jobs of which statuses. */
export const StatusesField = ({ gateway, ...field }: Choice & { gateway: Gateway }) => (
  <ListField
    placeholder="Any status"
    {...field}
    load={gateway.statuses}
    optionOf={statusOption}
    label="Status"
    itemLabel="status"
  />
);

/** Jobs that were started from which models. */
export const ModelsField = ({ gateway, ...field }: Choice & { gateway: Gateway }) => (
  <ListField
    placeholder="Any model"
    {...field}
    load={gateway.models}
    optionOf={modelOption}
    label="Base model"
    itemLabel="model"
    tooltip="The model that a job started from."
  />
);

/** Which products: types of machines. */
export const ProductsField = ({ offers, ...field }: Choice & { offers: OfferLists }) => (
  <ListField
    placeholder="All products"
    {...field}
    load={offers.types}
    optionOf={nameOption}
    label="Products"
    itemLabel="product"
    tooltip="Choose, type a product's name such as a100.8x, or use a dashboard variable."
  />
);

/** Products to be had where. */
export const LocationsField = ({ offers, ...field }: Choice & { offers: OfferLists }) => (
  <ListField
    placeholder="All locations"
    {...field}
    load={offers.locations}
    optionOf={nameOption}
    label="Locations"
    itemLabel="location"
    tooltip="Choose, type a location such as us-east1-a, or use a dashboard variable."
  />
);

export const nameOption = (value: string): ComboboxOption => ({ value });

function jobOption({ id, name, model, status }: JobChoice): ComboboxOption {
  const facts = [name === id ? '' : id, status, model].filter(Boolean);
  return { value: id, label: name || id, description: facts.join(' · ') };
}

const statusOption = ({ status, jobs }: StatusChoice): ComboboxOption => ({
  value: status,
  description: numberOfJobs(jobs),
});

const modelOption = ({ id, name, jobs }: ModelChoice): ComboboxOption => ({
  value: id,
  label: name || id,
  description: numberOfJobs(jobs),
});

const numberOfJobs = (jobs: number): string => (jobs === 1 ? '1 job' : `${jobs} jobs`);
