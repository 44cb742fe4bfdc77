import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { ALIASES } from '../../src/catalog/metrics/aliases.ts';

describe('a package of the backend that reads a metric of GPUs', () => {
  const code = new Map<string, string>();
  for (const file of globSync('pkg/{runs,placement}/*.go', { cwd: root }).filter(
    (name) => !name.endsWith('_test.go')
  )) {
    code.set(dirname(file), (code.get(dirname(file)) ?? '') + readFileSync(join(root, file), 'utf8'));
  }

  for (const [folder, text] of code) {
    it(`reads it under the name that DCGM 4.6 gave it, too: ${folder}`, () => {
      const read = [...new Set(text.match(/\bDCGM_FI_[A-Z_]+/g))];
      assert.ok(read.length > 3);
      assert.deepEqual(
        read.filter((name) => name in ALIASES && !read.includes(ALIASES[name])),
        []
      );
    });
  }
});
