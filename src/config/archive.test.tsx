import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { renderEditor } from '../testing/configEditor';
import type { GpuCloudOptions } from '../types';

const show = async (jsonData: GpuCloudOptions = {}, readOnly = false) => {
  const saved = renderEditor({ jsonData, readOnly });
  if (!jsonData.archive) {
    await userEvent.click(screen.getByLabelText('Expand section Archive'));
  }
  return saved;
};

/** A label goes on with what the field means. */
const fieldOf = (label: string) => screen.getByLabelText(new RegExp(`^${label}`), { selector: 'input' });

async function write(field: string, text: string) {
  await userEvent.clear(fieldOf(field));
  await userEvent.type(fieldOf(field), text);
  await userEvent.tab();
}

describe('the archive', () => {
  it('is saved with its address, labels, header and credential', async () => {
    const saved = await show();
    expect(saved().jsonData).toEqual({});

    await write('Archive address', ' https://mimir.example.com/prometheus ');
    await write('Retention of the platform', '30d');
    await userEvent.type(fieldOf('Labels to drop'), 'job{Enter}');
    await write('Archive header', 'X-Scope-OrgID');
    await write('Value of the archive header', 'gpu-cloud');
    await write('Archive token', 'token-1234');

    expect(saved().jsonData.archive).toEqual({
      url: 'https://mimir.example.com/prometheus',
      retention: '30d',
      dropLabels: ['job'],
      headerName: 'X-Scope-OrgID',
    });
    expect(saved().secureJsonData).toEqual({ archiveHeader: 'gpu-cloud', archiveToken: 'token-1234' });
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('is open where it is set, and gone when its settings are removed', async () => {
    const saved = await show({ archive: { url: 'https://mimir.example.com' } });
    await userEvent.clear(fieldOf('Archive address'));
    expect(saved().jsonData).toEqual({ archive: undefined });
  });

  it('says what is wrong with an address, a duration and the name of a header', async () => {
    await show();
    await write('Archive address', 'mimir:9009');
    expect(screen.getByRole('alert')).toHaveTextContent('Enter a full address');
    await write('Archive address', 'https://mimir.example.com/api/v1');
    expect(screen.getByRole('alert')).toHaveTextContent('Leave out /api/v1');
    await write('Archive address', 'https://mimir.example.com');
    await write('Retention of the platform', 'a month');
    expect(screen.getByRole('alert')).toHaveTextContent('Enter a time with a unit');
    await write('Retention of the platform', '30');
    expect(screen.getByRole('alert')).toHaveTextContent('of 2h or longer, such as 30d');
    await write('Retention of the platform', '30d');
    await write('Archive header', 'X Scope');
    expect(screen.getByRole('alert')).toHaveTextContent('has no spaces');
  });

  it('accepts certificates of several lines', async () => {
    const saved = await show();
    await userEvent.click(screen.getByLabelText('Expand section TLS of the archive'));
    const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
    await userEvent.click(screen.getByLabelText(/^CA certificate of the archive/));
    await userEvent.paste(certificate);
    expect(saved().secureJsonData?.archiveTlsCaCert).toBe(certificate);
  });
});
