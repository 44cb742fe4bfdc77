import React, { useState } from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { get } from 'lodash';
import { ADVANCED } from './advanced';
import { ARCHIVE } from './archive';
import { PRICES } from './prices';
import type { SectionProps } from './section';
import { CONNECTION, FINE_TUNING, MAIN_API, METRICS } from './services';
import { SettingFields, type Setting } from './SettingFields';

type Settings = SectionProps['options'];

const SECTIONS = [CONNECTION, METRICS, FINE_TUNING, MAIN_API, PRICES, ARCHIVE, ADVANCED];
const FIELDS = SECTIONS.flatMap(({ fields, groups = [] }) => [...fields, ...groups.flatMap((group) => group.fields)]);

const all = <K extends PropertyKey>(key: K) =>
  FIELDS.filter((field): field is Extract<Setting, Record<K, unknown>> => key in field).map(
    (field) => [String(field[key]), field] as const
  );
const named = (name: string) => [...all('option'), ...all('secret')].find(([setting]) => setting === name)![1];

/** Shows a field as the form does, which keeps the settings, and returns a look at what would be saved. */
function show(field: Setting, initial: Partial<Settings> = {}): () => Settings {
  let current = { jsonData: {}, secureJsonFields: {}, readOnly: false, ...initial } as Settings;
  function Form() {
    const [options, setOptions] = useState(current);
    const onOptionsChange = (changed: Settings) => setOptions((current = changed));
    return <SettingFields options={options} onOptionsChange={onOptionsChange} fields={[field]} />;
  }
  render(<Form />);
  return () => current;
}

/** A label goes on with what the field means. */
const inputOf = ({ label }: Setting) =>
  screen.getByLabelText((text) => text.startsWith(label), { selector: 'input, textarea' });

async function write(field: Setting, text: string) {
  await userEvent.clear(inputOf(field));
  await userEvent.click(inputOf(field));
  await userEvent.paste(text);
  await userEvent.tab();
}

it.each(all('option'))('%s is saved, its example is right, and empty it is not saved', async (name, field) => {
  const saved = show(field);
  expect(inputOf(field)).toHaveAttribute('placeholder', field.example);

  await write(field, field.example);
  expect(get(saved().jsonData, name)).toBe(field.type === 'number' ? Number(field.example) : field.example);
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();

  await userEvent.clear(inputOf(field));
  await userEvent.tab();
  expect(get(saved().jsonData, name)).toBeUndefined();
});

it.each(all('option'))('%s reads the other type that a variable of a provisioning file gives it', (name, field) => {
  const value = field.type === 'number' ? '64' : 64;
  const [group, member] = name.split('.');
  show(field, { jsonData: { [group]: member ? { [member]: value } : value } });
  expect(inputOf(field)).toHaveValue(field.type === 'number' ? 64 : '64');
});

it.each(all('secret'))(
  '%s is saved encrypted, apart from the settings, and a saved one is not shown',
  async (name, field) => {
    const saved = show(field, { secureJsonFields: { [name]: true } });
    expect(inputOf(field)).toBeDisabled();
    expect(inputOf(field)).toHaveValue('configured');

    await userEvent.click(screen.getByRole('button', { name: /reset/i }));
    await write(field, ' c2VjcmV0 ');

    expect(saved()).toMatchObject({
      jsonData: {},
      secureJsonData: { [name]: 'c2VjcmV0' },
      secureJsonFields: { [name]: false },
    });
  }
);

it.each(all('flag'))('%s is saved if it is not as usual', async (name, field) => {
  const saved = show(field);
  const isUsual = field.isUsuallyOn ?? false;
  await userEvent.click(inputOf(field));
  expect(get(saved().jsonData, name)).toBe(!isUsual);
  await userEvent.click(inputOf(field));
  expect(get(saved().jsonData, name)).toBeUndefined();
});

it.each(all('choice'))('%s is saved, and is the usual one at first', async (name, field) => {
  const saved = show(field);
  const other = field.options.find(({ value }) => value !== field.usual)!;
  await userEvent.click(screen.getByRole('radio', { name: other.label }));
  expect(get(saved().jsonData, name)).toBe(other.value);
  expect(screen.getAllByRole('radio', { checked: true })).toEqual([screen.getByRole('radio', { name: other.label })]);
});

it.each(all('labels'))('%s are saved', async (name, field) => {
  const saved = show(field);
  await userEvent.type(inputOf(field), 'job{Enter}');
  expect(get(saved().jsonData, name)).toEqual(['job']);
});

it.each(FIELDS.filter((field) => !('Field' in field) && !('choice' in field)))(
  'the field “$label” can’t be changed where it is provisioned',
  (field) => {
    show(field, { readOnly: true });
    expect(inputOf(field)).toBeDisabled();
  }
);

const NO_ADDRESS = /starts with https:\/\/ or http:\/\//;
const NO_TIME = /Enter a time with a unit/;

it.each<[name: string, problem: RegExp, ...typed: string[]]>([
  [
    'baseUrl',
    NO_ADDRESS,
    'api.example.com',
    'ftp://api.example.com',
    'https:/api.example.com',
    'https://',
    'https://a .com',
  ],
  ['baseUrl', /user name and password/, 'https://me:pass@api.example.com'],
  ['baseUrl', /question mark/, 'https://api.example.com?x=1'],
  [
    'baseUrl',
    /one of two slashes/,
    'https://api.example.com//other.example.com',
    'https://api.example.com/base//other',
  ],
  [
    'metricsUrl',
    /leave out \/api\/v1/i,
    'https://a.example.com/base/api/v1/query_range',
    'https://a.example.com/base/api/v1',
  ],
  ['metricsUrl', NO_ADDRESS, 'metrics'],
  ['projectId', /no slashes/, 'projects/proj-1234', 'proj 1234', ' '],
  ['consoleUrl', NO_ADDRESS, 'console.example.com'],
  ['consoleUrl', /\{job\} is not known\. Use \{projectId\}/, 'https://console.example.com/{job}'],
  ['accessKeyId', /no colons/, 'AK:1'],
  ['archive.url', NO_ADDRESS, 'mimir:9009'],
  ['archive.url', /leave out \/api\/v1/i, 'https://mimir.example.com/api/v1'],
  ['archive.retention', /of 2h or longer, such as 30d/, '30', 'a month', '90m'],
  ['prices.kilowattHour', /Enter a price as a number/, '-1'],
  ['timeout', /whole number of seconds/, '0', '-5', '0.5'],
  ['maxConcurrentRequests', /Enter a whole number/, '0', '-5', '1.5'],
  ['maxResponseMegabytes', /number of megabytes/, '0', '-1'],
  ['maxSeries', /Enter a whole number/, '0', '-5', '1.5'],
  ['maxPoints', /Enter a whole number/, '0', '-5'],
  ['cache.maxMegabytes', /number of megabytes/, '0', '-1'],
  ['queryTimeout', NO_TIME, 'soon'],
  ['timeInterval', NO_TIME, 'soon'],
])('%s says what is wrong: %s', (name, problem, ...typed) => {
  for (const value of typed) {
    expect(named(name).check?.(value)).toMatch(problem);
  }
});

it.each([
  [
    'baseUrl',
    'https://a.example.com',
    ' https://a.example.com/v1/ ',
    'https://a.example.com/v1/v1',
    'https://a.example.com//',
  ],
  ['baseUrl', 'http://127.0.0.1:9400/v12', 'http://127.0.0.1:9400/v12/'],
  ['intelligenceUrl', 'https://a.example.com', 'https://a.example.com/v1', 'https://a.example.com/'],
  ['projectId', 'proj-1', ' proj-1 '],
  ['prices.currency', 'EUR', ' eur'],
  ['monitoringToken', 'abc', 'Bearer abc', 'bearer abc ', ' Bearer  abc'],
])('%s is saved as %s, whatever was typed around it', async (name, tidied, ...typed) => {
  const field = named(name);
  const saved = show(field);
  for (const value of typed) {
    expect(field.check?.(value)).toBeUndefined();
    await write(field, value);
    expect(get('secret' in field ? saved().secureJsonData : saved().jsonData, name)).toBe(tidied);
    expect(inputOf(field)).toHaveValue(tidied);
  }
});

it('shows what is wrong beside the field, and keeps what was typed', async () => {
  const saved = show(named('timeout'));
  await userEvent.type(inputOf(named('timeout')), '0.5');
  expect(screen.getByRole('alert')).toHaveTextContent(/whole number of seconds/);
  await userEvent.tab();
  expect(inputOf(named('timeout'))).toHaveValue(0.5);
  expect(saved().jsonData.timeout).toBe(0.5);
});

it('saves no group of settings of which none is left', async () => {
  const saved = show(named('archive.url'), { jsonData: { archive: { url: 'https://mimir.example.com' } } });
  await userEvent.clear(inputOf(named('archive.url')));
  await userEvent.tab();
  expect(saved().jsonData).toEqual({ archive: undefined });
});

it('knows the word that a variable brings', () => {
  const [, cache] = all('flag').find(([name]) => name === 'cache.enabled')!;
  show(cache, { jsonData: JSON.parse('{ "cache": { "enabled": "false" } }') });
  expect(inputOf(cache)).not.toBeChecked();
});
