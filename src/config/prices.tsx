import React from 'react';
import useAsync from 'react-use/lib/useAsync';
import { getBackendSrv } from '@grafana/runtime';
import { Button, Field, Stack } from '@grafana/ui';
import { t } from '../i18n';
import { Rows } from '../fields/Rows';
import { textColumn } from '../fields/textColumn';
import type { PriceOptions } from '../types';
import { setOption, type SectionProps } from './section';
import type { SettingsSection } from './SettingsSection';
import { priceError } from './validation';

interface PriceRow {
  model: string;
  price: string;
}

const BLANK: PriceRow = { model: '', price: '' };

function GpuHours(props: SectionProps) {
  const { options } = props;
  const prices = options.jsonData.prices ?? {};
  const setPrices = (gpuHour: PriceOptions['gpuHour']) => setOption(props, 'prices.gpuHour', gpuHour);

  return (
    <>
      <Field
        label={t('Price of a GPU-hour')}
        description={t(
          'By model, as the label modelName of the GPU metrics has it. A run has a cost if all its models have a price.'
        )}
        disabled={options.readOnly}
        noMargin={false}
      >
        <Rows
          itemLabel={t('model')}
          columns={COLUMNS}
          items={rowsOf(prices)}
          onChange={(rows = []) => setPrices(Object.fromEntries(rows.map(({ model, price }) => [model, save(price)])))}
          blank={BLANK}
          required="model"
          isRepeated={({ model }, above) => hasModel(above, model)}
          disabled={options.readOnly}
        />
      </Field>
      {!options.readOnly && (
        <SeenModels
          uid={options.uid}
          priced={Object.keys(prices.gpuHour ?? {})}
          onAdd={(model) => setPrices({ ...prices.gpuHour, [model]: save('') })}
        />
      )}
    </>
  );
}

interface SeenProps {
  uid: string;
  priced: string[];
  onAdd: (model: string) => void;
}

/** The models of the metrics of the last hour that have no price: so nobody has to know how the metrics spell them. */
function SeenModels({ uid, priced, onAdd }: SeenProps) {
  const { value: seen = [] } = useAsync(() => loadModels(uid), [uid]);
  const others = seen.filter((model) => !priced.includes(model));
  return others.length > 0 ? (
    <Field
      label={t('Models without a price')}
      description={t('As the metrics of the last hour name them.')}
      noMargin={false}
    >
      <Stack gap={1} wrap="wrap">
        {others.map((model) => (
          <Button key={model} size="sm" variant="secondary" icon="plus" onClick={() => onAdd(model)}>
            {model}
          </Button>
        ))}
      </Stack>
    </Field>
  ) : null;
}

/** Fails where the data source is not saved yet, or can't read metrics. */
async function loadModels(uid: string): Promise<string[]> {
  const values = `/api/datasources/uid/${encodeURIComponent(uid)}/resources/api/v1/label/modelName/values`;
  const now = Math.floor(Date.now() / 1000);
  const range = { start: now - 3600, end: now };
  const { data } = await getBackendSrv().get<{ data: string[] }>(values, range, undefined, { showErrorAlert: false });
  return data;
}

const hasModel = (rows: PriceRow[], model: string): boolean => model !== '' && rows.some((row) => row.model === model);

const rowsOf = ({ gpuHour = {} }: PriceOptions): PriceRow[] =>
  Object.entries(gpuHour).map(([model, price]) => ({ model, price: String(price) }));

/** What is no number stays as it is typed, beside a sentence. The backend refuses it, too. */
const save = (price: string): number => (priceError(price) ? (price as unknown as number) : Number(price));

const COLUMNS = [
  textColumn<PriceRow>({
    title: 'GPU model',
    member: 'model',
    example: 'NVIDIA H100 80GB HBM3',
    error: ({ model }, above) => (hasModel(above, model) ? t('This model already has a price, above.') : undefined),
  }),
  textColumn<PriceRow>({
    title: 'Price of an hour',
    member: 'price',
    example: '2.50',
    error: ({ model, price }) => (model ? priceError(price) : undefined),
    tidy: (price) => String(save(price)),
  }),
];

export const PRICES: SettingsSection = {
  title: 'Prices',
  description: 'Optional: what an hour of a GPU and a kilowatt-hour cost. Without prices, runs have no cost.',
  isFolded: () => true,
  fields: [
    { label: 'Price of a GPU-hour', Field: GpuHours },
    {
      option: 'prices.kilowattHour',
      label: 'Price of a kilowatt-hour',
      description: 'Added to the cost of the GPU-hours. Leave it empty if these include energy.',
      example: '0.25',
      type: 'number',
      check: priceError,
    },
    {
      option: 'prices.currency',
      label: 'Currency',
      description: 'Three letters of ISO 4217.',
      example: 'USD',
      tidy: (value) => value.toUpperCase(),
    },
  ],
};
