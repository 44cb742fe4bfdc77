import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { setBackendSrv, type BackendSrv } from '@grafana/runtime';
import { renderEditor } from '../testing/configEditor';
import type { GpuCloudOptions } from '../types';

const show = async (jsonData: GpuCloudOptions = {}, readOnly = false) => {
  const saved = renderEditor({ jsonData, readOnly });
  await userEvent.click(screen.getByLabelText('Expand section Prices'));
  return saved;
};

/** A label goes on with what the field means. */
const fieldOf = (label: string) => screen.getByLabelText(new RegExp(`^${label}`), { selector: 'input' });

async function write(field: string, text: string) {
  await userEvent.clear(fieldOf(field));
  await userEvent.type(fieldOf(field), text);
  await userEvent.tab();
}

const H100 = 'NVIDIA H100 80GB HBM3';

describe('the prices', () => {
  it('are saved by model, with energy and a currency', async () => {
    const saved = await show();
    expect(saved().jsonData).toEqual({});

    await userEvent.click(screen.getByRole('button', { name: 'Add model' }));
    await write('GPU model', H100);
    await write('Price of an hour', '2.50');
    await write('Price of a kilowatt-hour', '0.25');
    await write('Currency', 'eur');

    expect(saved().jsonData.prices).toEqual({ gpuHour: { [H100]: 2.5 }, kilowattHour: 0.25, currency: 'EUR' });
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('that are no numbers say so, and keep what was typed', async () => {
    await show({ prices: { gpuHour: { [H100]: 2.5 } } });

    await write('Price of an hour', '2,50');

    expect(screen.getByRole('alert')).toHaveTextContent('Enter a price as a number, such as 2.50.');
    expect(fieldOf('Price of an hour')).toHaveValue('2,50');
  });

  it.each(['0.05', '1.05', '0.001'])('can be typed digit by digit: %s', async (price) => {
    const saved = await show();
    await userEvent.type(fieldOf('Price of a kilowatt-hour'), price);
    await userEvent.tab();
    expect(saved().jsonData.prices?.kilowattHour).toBe(Number(price));
    expect(fieldOf('Price of a kilowatt-hour')).toHaveValue(Number(price));
  });

  it('of a model that is entered twice are kept, and said to be wrong', async () => {
    const saved = await show({ prices: { gpuHour: { [H100]: 2.5 } } });
    await userEvent.click(screen.getByRole('button', { name: 'Add model' }));
    await userEvent.keyboard(`${H100}{Tab}`);

    expect(saved().jsonData.prices?.gpuHour).toEqual({ [H100]: 2.5 });
    expect(screen.getByText(/already has a price/)).toBeInTheDocument();
  });

  it('can be entered for the models that the metrics have, but for those that have one', async () => {
    const get = jest.fn().mockResolvedValue({ data: [H100, 'NVIDIA A100-SXM4-80GB'] });
    setBackendSrv({ get } as unknown as BackendSrv);
    const saved = await show({ prices: { gpuHour: { [H100]: 2.5 } } });
    expect(screen.queryByRole('button', { name: H100 })).not.toBeInTheDocument();

    await userEvent.click(await screen.findByRole('button', { name: 'NVIDIA A100-SXM4-80GB' }));
    const [, price] = screen.getAllByLabelText(/^Price of an hour/, { selector: 'input' });
    await userEvent.type(price, '1.5{Tab}');

    expect(saved().jsonData.prices?.gpuHour).toEqual({ [H100]: 2.5, 'NVIDIA A100-SXM4-80GB': 1.5 });
    expect(get.mock.calls[0][0]).toBe('/api/datasources/uid/gpucloud/resources/api/v1/label/modelName/values');
  });

  it('are gone when they are removed', async () => {
    const saved = await show({ prices: { gpuHour: { [H100]: 2.5 } } });
    await userEvent.click(screen.getByRole('button', { name: 'Remove model 1' }));
    expect(saved().jsonData.prices).toBeUndefined();
  });

  it('can’t be changed where the data source is provisioned', async () => {
    await show({ prices: { gpuHour: { [H100]: 2.5 } } }, true);
    expect(fieldOf('Price of an hour')).toBeDisabled();
    expect(screen.getByRole('button', { name: 'Add model' })).toBeDisabled();
  });
});
