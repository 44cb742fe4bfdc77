// cspell:ignore Vjcm
import React, { useState } from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MAIN_API } from './services';
import { Section } from './SettingsSection';
import type { SectionProps } from './section';

type Settings = SectionProps['options'];

/** Shows the section as Grafana does, which keeps the settings, and returns a look at what would be saved. */
function renderSection(initial: Partial<Settings> = {}): () => Settings {
  let current = { jsonData: {}, secureJsonFields: {}, readOnly: false, ...initial } as Settings;
  function Page() {
    const [options, setOptions] = useState(current);
    const onOptionsChange = (changed: Settings) => {
      current = changed;
      setOptions(changed);
    };
    return <Section options={options} onOptionsChange={onOptionsChange} section={MAIN_API} />;
  }
  render(<Page />);
  return () => current;
}

const id = () => screen.getByLabelText(/^access key id/i);
const secret = () => screen.getByLabelText(/^secret key/i);
const organization = () => screen.getByLabelText(/^organization id/i);
const header = () => screen.getByLabelText(/^timestamp header/i);

it('saves the key under the settings’ names, with the secret apart and encrypted', async () => {
  const saved = renderSection();
  expect(screen.getByText(/Not configured\.$/)).toBeInTheDocument();

  await userEvent.type(id(), 'AK-EXAMPLE');
  await userEvent.type(secret(), 'c2VjcmV0LXNpZ25pbmcta2V5LTAxMjM0NTY3ODk');
  await userEvent.type(organization(), 'org-1234');
  await userEvent.type(header(), 'X-Acme-Timestamp');

  expect(saved().jsonData).toEqual({
    accessKeyId: 'AK-EXAMPLE',
    organizationId: 'org-1234',
    timestampHeader: 'X-Acme-Timestamp',
  });
  expect(saved().secureJsonData).toEqual({ secretKey: 'c2VjcmV0LXNpZ25pbmcta2V5LTAxMjM0NTY3ODk' });
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.queryByText(/Not configured\.$/)).not.toBeInTheDocument();
});

it.each([
  ['c2VjcmV0LXNpZw==', /no padding/],
  ['c2Vj+mV0', /URL-safe alphabet/],
  ['c2Vj/mV0', /URL-safe alphabet/],
  ['c2Vj mV0', /not base64/],
  ['c2Vj$mV0', /not base64/],
  ['c2Vjc', /not base64/],
])('says beside the field what is wrong with the secret key %s', async (typed, error) => {
  renderSection();
  await userEvent.type(secret(), typed);
  expect(screen.getByRole('alert')).toHaveTextContent(error);
});

it.each([
  ['the access key id', id, 'AK:1', /no colons/],
  ['the organization', organization, 'org/1', /no slashes/],
  ['the header', header, 'X-Time:', /no colon/],
])('says beside the field what is wrong with %s', async (_, field, typed, error) => {
  renderSection();
  await userEvent.type(field(), typed);
  expect(screen.getByRole('alert')).toHaveTextContent(error);
});

it('shows an organization id that provisioning has made a number of', () => {
  renderSection({ jsonData: { organizationId: 42 } });
  expect(organization()).toHaveValue('42');
});

it('requires the secret key once there is an id', () => {
  renderSection({ jsonData: { accessKeyId: 'AK-EXAMPLE' } });
  expect(screen.getByText('Secret key *')).toBeInTheDocument();
});
