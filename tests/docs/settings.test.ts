// docs/reference/settings.md has a row for each setting that the front end saves or the backend reads, with its default.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { DEFAULT_SCRAPE_INTERVAL } from '../../src/metrics/defaults.ts';
import { goConstant } from './goConstants.mjs';
import { readTypes } from './queryTypes.mjs';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

const documented = [...read('docs/reference/settings.md').matchAll(/^\| `([\w.]+)` /gm)].map(([, name]) => name);

/** Settings that hold others. */
const NESTED = ['cache', 'prices', 'archive'];

const typed = () => {
  const { fieldsOf } = readTypes(['src/types.ts']);
  const names = ['GpuCloudOptions', 'GpuCloudSecrets'].flatMap((type) => fieldsOf(type).map(({ name }) => name));
  const nested = { CacheOptions: 'cache', PriceOptions: 'prices', ArchiveOptions: 'archive' };
  return [
    ...names.filter((name) => !NESTED.includes(name)),
    ...Object.entries(nested).flatMap(([type, setting]) => fieldsOf(type).map(({ name }) => `${setting}.${name}`)),
  ];
};

const inBackend = (struct: string, prefix = '') => {
  const [source] = globSync('pkg/plugin/*.go', { cwd: root })
    .map(read)
    .filter((text) => text.includes(`\ntype ${struct} struct {`));
  const [fields] = source.slice(source.indexOf(`\ntype ${struct} struct {`)).split('\n}');
  return [...fields.matchAll(/`json:"(\w+)"`/g)]
    .map(([, name]) => prefix + name)
    .filter((name) => !NESTED.includes(name));
};

describe('docs/reference/settings.md has a row for each setting', () => {
  const sources = {
    'of src/types.ts': typed(),
    'of the backend': [
      ...inBackend('savedSettings'),
      ...inBackend('savedCache', 'cache.'),
      ...inBackend('savedArchive', 'archive.'),
    ],
  };
  for (const [source, names] of Object.entries(sources)) {
    it(source, () => {
      assert.ok(names.length > 10, `${names.length} settings`);
      assert.deepEqual(
        names.filter((name) => !documented.includes(name)),
        []
      );
    });
  }
});

/** Defaults that are constants of the backend, as the page writes them. */
const DEFAULTS: Record<string, string> = {
  timestampHeader: `\`${goConstant('pkg/mainapi', 'defaultTimestampHeader')}\``,
  maxConcurrentRequests: `${goConstant('pkg/plugin', 'defaultMaxConcurrent')}`,
  maxResponseMegabytes: `${goConstant('pkg/plugin', 'defaultMaxResponse') / 2 ** 20}`,
  maxSeries: `${goConstant('pkg/plugin', 'defaultMaxSeries')}`,
  maxPoints: `${goConstant('pkg/plugin', 'defaultMaxPoints')}`,
  'cache.maxMegabytes': `${goConstant('pkg/plugin', 'defaultCacheBytes') / 2 ** 20}`,
  'cache.recentWindow': `\`${goConstant('pkg/plugin', 'defaultRecentWindow') / 60}m\``,
  timeInterval: `\`${goConstant('pkg/plugin', 'defaultMinStep')}s\``,
};

it('the provisioning file has every setting of docs/reference/settings.md', () => {
  const file = read('provisioning/datasources/gpucloud.yaml');
  const missing = documented.filter((name) => {
    const [section, option] = name.split('.');
    const nested = option ? `(.*\\b|\\n( {8}.*\\n)* {8}(# )?)${option}:` : '';
    return !new RegExp(`^ +(# )?${section}:${nested}`, 'm').test(file);
  });
  assert.ok(documented.length > 30);
  assert.deepEqual(missing, []);
});

describe('docs/reference/settings.md has the default', () => {
  const rows = read('docs/reference/settings.md').split('\n');
  const form = globSync('src/config/*.{ts,tsx}', { cwd: root }).map(read).join('\n');
  for (const [name, value] of Object.entries(DEFAULTS)) {
    it(`of ${name}`, () => {
      const cells = rows.find((row) => row.startsWith(`| \`${name}\` `))?.split(' | ') ?? [];
      assert.equal(cells[3]?.trim(), value);
      const [, placeholder] = new RegExp(`option: '${name}',[^}]*?example: '([^']+)'`).exec(form) ?? [];
      assert.equal(placeholder ?? DEFAULT_SCRAPE_INTERVAL, value.replaceAll('`', ''));
    });
  }
});
