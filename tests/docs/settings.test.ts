// The table of settings in docs/configure.md has every setting of the types.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { readTypes } from '../../scripts/reference/queryTypes.mjs';

it('docs/configure.md has a row for each setting', () => {
  const { fieldsOf } = readTypes('src/types.ts');
  const names = ['GpuCloudOptions', 'GpuCloudSecrets'].flatMap((type) => fieldsOf(type).map(({ name }) => name));
  const cache = fieldsOf('CacheOptions').map(({ name }) => `cache.${name}`);
  const settings = [...names.filter((name) => name !== 'cache'), ...cache];
  const page = readFileSync(join(root, 'docs/configure.md'), 'utf8');

  assert.ok(settings.length > 15);
  assert.deepEqual(
    settings.filter((name) => !new RegExp(`^\\| [^|]+ \\| \`${name}\`(, secret)? +\\|`, 'm').test(page)),
    []
  );
});
