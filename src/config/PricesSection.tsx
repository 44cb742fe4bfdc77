import React, { useMemo } from 'react';
import { ConfigSection } from '@grafana/plugin-ui';
import { Field, FieldValidationMessage, Stack } from '@grafana/ui';
import { CommittedInput } from '../query/platform/CommittedInput';
import { Rows, type RowColumn } from '../query/platform/Rows';
import type { PriceOptions } from '../types';
import { setOption, withoutEmpty, type SectionProps } from './section';
import { TextField } from './TextField';
import { tidyText } from './tidy';
import { currencyError, priceError } from './validation';

interface PriceRow {
  model: string;
  price: string;
}

const BLANK: PriceRow = { model: '', price: '' };

/** What runs cost: the price of a GPU-hour by model, and of energy. */
export function PricesSection(props: SectionProps) {
  const { options } = props;
  const prices = options.jsonData.prices ?? {};
  const set = (changes: PriceOptions) => setOption(props, 'prices', withoutEmpty({ ...prices, ...changes }));
  const columns = useMemo(() => columnsOf(Boolean(options.readOnly)), [options.readOnly]);

  return (
    <ConfigSection
      title="Prices"
      description="Optional: what an hour of a GPU and a kilowatt-hour cost. Without prices, runs have no cost."
      isCollapsible
      isInitiallyOpen={false}
    >
      <Field
        label="Price of a GPU-hour"
        description="By model, as the label modelName of the GPU metrics has it. A run has a cost if all its models have a price."
        disabled={options.readOnly}
        noMargin={false}
      >
        <Rows
          itemLabel="model"
          columns={columns}
          items={rowsOf(prices)}
          onChange={(rows = []) =>
            set({ gpuHour: Object.fromEntries(rows.map(({ model, price }) => [model, save(price)])) })
          }
          blank={BLANK}
          isBlank={({ model }) => model === ''}
          disabled={options.readOnly}
        />
      </Field>
      <TextField
        id="gpucloud-price-kwh"
        label="Price of a kilowatt-hour"
        description="Added to the cost of the GPU-hours. Leave it empty if these include energy."
        placeholder="0.25"
        type="number"
        value={String(prices.kilowattHour ?? '')}
        check={priceError}
        disabled={options.readOnly}
        onChange={(value) => set({ kilowattHour: value === '' ? undefined : Number(value) })}
      />
      <TextField
        id="gpucloud-currency"
        label="Currency"
        description="Three letters of ISO 4217."
        placeholder="USD"
        value={prices.currency ?? ''}
        tidy={(value) => tidyText(value).toUpperCase()}
        check={currencyError}
        disabled={options.readOnly}
        onChange={(value) => set({ currency: value || undefined })}
      />
    </ConfigSection>
  );
}

const columnsOf = (disabled: boolean): Array<RowColumn<PriceRow>> => [
  {
    title: 'GPU model',
    cell: ({ item, onChange, ...cell }) => (
      <CommittedInput
        {...cell}
        disabled={disabled}
        placeholder="NVIDIA H100 80GB HBM3"
        value={item.model}
        onCommit={(model) => onChange({ model })}
      />
    ),
  },
  {
    title: 'Price of an hour',
    cell: ({ item, onChange, ...cell }) => {
      const error = item.model ? priceError(item.price) : undefined;
      return (
        <Stack direction="column" gap={0.5}>
          <CommittedInput
            {...cell}
            disabled={disabled}
            placeholder="2.50"
            invalid={Boolean(error)}
            value={item.price}
            onCommit={(price) => onChange({ price })}
          />
          {error && <FieldValidationMessage>{error}</FieldValidationMessage>}
        </Stack>
      );
    },
  },
];

const rowsOf = ({ gpuHour = {} }: PriceOptions): PriceRow[] =>
  Object.entries(gpuHour).map(([model, price]) => ({ model, price: String(price) }));

/** What is no number stays as it is typed, beside a sentence. The backend refuses it, too. */
const save = (price: string): number => (priceError(price) ? (price as unknown as number) : Number(price));
