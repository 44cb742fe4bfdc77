import React, { useState } from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { CacheOptions } from '../types';
import { CACHE } from './advanced';
import type { SectionProps } from './section';
import { SettingFields } from './SettingFields';

/** Shows the settings as the form does, which keeps them, and returns a look at what would be saved. */
function renderSettings(cache?: CacheOptions, readOnly = false): () => CacheOptions | undefined {
  let current = cache;
  function Form() {
    const [options, setOptions] = useState({ jsonData: { cache }, readOnly } as SectionProps['options']);
    const onOptionsChange: SectionProps['onOptionsChange'] = (changed) => {
      current = changed.jsonData.cache;
      setOptions(changed);
    };
    return <SettingFields options={options} onOptionsChange={onOptionsChange} fields={CACHE} />;
  }
  render(<Form />);
  return () => current;
}

const keep = () => screen.getByLabelText(/^cache results/i);
const size = () => screen.getByLabelText(/^cache size/i);
const recent = () => screen.getByLabelText(/^recent window/i);

it('shows the defaults and saves none of them', () => {
  const saved = renderSettings();

  expect(keep()).toBeChecked();
  expect(size()).toHaveAttribute('placeholder', '64');
  expect(recent()).toHaveAttribute('placeholder', '10m');
  expect(saved()).toBeUndefined();
});

it('saves what is typed', async () => {
  const saved = renderSettings();

  await userEvent.type(size(), '128');
  await userEvent.type(recent(), '15m');

  expect(saved()).toEqual({ maxMegabytes: 128, recentWindow: '15m' });
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

it('forgets what is cleared', async () => {
  const saved = renderSettings({ maxMegabytes: 128, recentWindow: '15m' });

  await userEvent.clear(size());
  await userEvent.clear(recent());

  expect(saved()?.maxMegabytes).toBeUndefined();
  expect(saved()?.recentWindow).toBeUndefined();
});

it('switches off and on, and keeps the rest', async () => {
  const saved = renderSettings({ maxMegabytes: 128 });

  await userEvent.click(keep());
  expect(saved()).toEqual({ enabled: false, maxMegabytes: 128 });

  await userEvent.click(keep());
  expect(saved()?.enabled).toBeUndefined();
  expect(size()).toHaveValue(128);
});

it('knows the word that a variable brings', () => {
  renderSettings(JSON.parse('{ "enabled": "false" }'));
  expect(keep()).not.toBeChecked();
});

it.each(['soon', '10', '0m', '-5m', 'm'])('refuses a recent window of %p', async (typed) => {
  renderSettings();
  await userEvent.type(recent(), typed);
  expect(screen.getByRole('alert')).toHaveTextContent('Enter a time with a unit, such as 10m or 1h.');
});

it('cannot be changed where it is provisioned', () => {
  renderSettings({ maxMegabytes: 128 }, true);
  expect(keep()).toBeDisabled();
  expect(size()).toBeDisabled();
  expect(recent()).toBeDisabled();
});
