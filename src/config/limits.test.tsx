import React, { useState } from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { GpuCloudOptions } from '../types';
import { LIMITS } from './advanced';
import type { SectionProps } from './section';
import { SettingFields } from './SettingFields';

/** Shows the settings as the form does, which keeps them, and returns a look at what would be saved. */
function renderSettings(jsonData: GpuCloudOptions = {}, readOnly = false): () => GpuCloudOptions {
  let current = jsonData;
  function Form() {
    const [options, setOptions] = useState({ jsonData, readOnly } as SectionProps['options']);
    const onOptionsChange: SectionProps['onOptionsChange'] = (changed) => {
      current = changed.jsonData;
      setOptions(changed);
    };
    return <SettingFields options={options} onOptionsChange={onOptionsChange} fields={LIMITS} />;
  }
  render(<Form />);
  return () => current;
}

const fields: Array<[RegExp, keyof GpuCloudOptions, string]> = [
  [/^http timeout/i, 'timeout', '30'],
  [/^concurrent requests/i, 'maxConcurrentRequests', '32'],
  [/^largest response/i, 'maxResponseMegabytes', '256'],
  [/^series per response/i, 'maxSeries', '100000'],
  [/^points per response/i, 'maxPoints', '5000000'],
];

it.each(fields)(
  '%s shows its default, saves what is typed and forgets what is cleared',
  async (label, setting, otherwise) => {
    const saved = renderSettings();
    const field = screen.getByLabelText(label);
    expect(field).toHaveAttribute('placeholder', otherwise);
    expect(saved()).toEqual({});

    await userEvent.type(field, '12');
    expect(saved()).toEqual({ [setting]: 12 });
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();

    await userEvent.clear(field);
    expect(saved()[setting]).toBeUndefined();
  }
);

it.each(fields)('%s refuses nothing at all, and less', async (label) => {
  renderSettings();
  const field = screen.getByLabelText(label);

  await userEvent.type(field, '0');
  expect(screen.getByRole('alert')).toHaveTextContent(/^Enter a/);

  await userEvent.clear(field);
  await userEvent.type(field, '-5');
  expect(screen.getByRole('alert')).toHaveTextContent(/^Enter a/);
});

it.each(fields)('%s reads the text that a provisioning file makes of a number', (label, setting) => {
  renderSettings(JSON.parse(`{ "${setting}": "64" }`));
  expect(screen.getByLabelText(label)).toHaveValue(64);
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

it('takes what an unset variable leaves for nothing', () => {
  renderSettings(JSON.parse('{ "maxSeries": "" }'));
  expect(screen.getByLabelText(/^series per response/i)).toHaveValue(null);
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

it('refuses half a series', async () => {
  renderSettings();
  await userEvent.type(screen.getByLabelText(/^series per response/i), '1.5');
  expect(screen.getByRole('alert')).toHaveTextContent('Enter a whole number, such as 100.');
});

it('cannot be changed where it is provisioned', () => {
  renderSettings({}, true);
  for (const [label] of fields) {
    expect(screen.getByLabelText(label)).toBeDisabled();
  }
});
