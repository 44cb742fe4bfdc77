// docs/develop/tested.md lists every fuzz test.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

it('docs/develop/tested.md lists every fuzz test', () => {
  const tests = globSync('pkg/**/*_test.go', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/^func (Fuzz\w+)\(/gm)].map(([, name]) => `[${name}](../../${file})`)
  );
  const listed = [...read('docs/develop/tested.md').matchAll(/\[Fuzz\w+\]\([^)]+\)/g)].map(([link]) => link);

  assert.ok(tests.length > 10, `${tests.length} fuzz tests`);
  assert.deepEqual(listed.toSorted(), tests.toSorted());
});
