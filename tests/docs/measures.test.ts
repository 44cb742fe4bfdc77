import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { MEASURES } from '../../src/catalog/measures.ts';

/** Measures of the backend: `{"gpus", "none", "The most GPUs …`. */
const OF_THE_BACKEND = /^\t\{"(\w+)", "(\w*)", "/gm;

describe('The catalog of measures', () => {
  it('has the measures of the backend with their units, in its order', () => {
    const source = readFileSync(join(root, 'pkg/runs/measures.go'), 'utf8');
    const backend = [...source.matchAll(OF_THE_BACKEND)].map(([, id, unit]) => ({ id, unit: unit || 'none' }));
    assert.ok(backend.length > 15, `${backend.length} measures in pkg/runs/measures.go`);

    assert.deepEqual(
      MEASURES.map(({ id, unit = 'none' }) => ({ id, unit })),
      backend
    );
  });
});
