import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { MEASURES } from '../../src/catalog/measures.ts';

/** Measures of the backend: `{"gpus", "none", "The most GPUs …`. */
const OF_THE_BACKEND = /^\t\{"(\w+)", "(\w*)", "/gm;

const source = readFileSync(join(root, 'pkg/runs/measures.go'), 'utf8');
const backend = [...source.matchAll(OF_THE_BACKEND)].map(([, id, unit]) => ({ id, unit: unit.replace('none', '') }));

describe('The measures of runs are', () => {
  it('in the catalog, in the order of the backend', () => {
    assert.ok(backend.length > 15, `${backend.length} measures in pkg/runs/measures.go`);
    assert.deepEqual(
      MEASURES.map(({ id }) => id),
      backend.map(({ id }) => id)
    );
  });

  it('in docs/reference/queries.md, with their labels and units', () => {
    const page = readFileSync(join(root, 'docs/reference/queries.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (.+?) +\| (.*?) +\| /gm)].map(([, ...cells]) => cells.join(', '));
    for (const [i, { id, label }] of MEASURES.entries()) {
      const row = [id, label, backend[i].unit].join(', ');
      assert.ok(rows.includes(row), row);
    }
  });
});
