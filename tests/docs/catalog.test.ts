// The tables of the front end and the dashboards agree with the backend and the documents.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { BOARDS, computesAt, SOMETHING } from '../../dashboards/lib/gpuBoards.ts';
import { root } from '../../scripts/lib/paths.mjs';
import { MEASURES } from '../../src/catalog/measures.ts';
import { ALIASES } from '../../src/catalog/metrics/aliases.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Measures of the backend: `{"gpus", "none", "The most GPUs …`. */
const OF_THE_BACKEND = /^\t\{"(\w+)", "(\w*)", "/gm;

const source = read('pkg/runs/measures.go');
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
    const page = read('docs/reference/queries.md');
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (.+?) +\| (.*?) +\| /gm)].map(([, ...cells]) => cells.join(', '));
    for (const [i, { id, label }] of MEASURES.entries()) {
      const row = [id, label, backend[i].unit].join(', ');
      assert.ok(rows.includes(row), row);
    }
  });
});

describe('a package of the backend that reads a metric of GPUs', () => {
  const code = new Map<string, string>();
  for (const file of globSync('pkg/{runs,placement}/*.go', { cwd: root }).filter(
    (name) => !name.endsWith('_test.go')
  )) {
    code.set(dirname(file), (code.get(dirname(file)) ?? '') + read(file));
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

const boards = read('docs/reference/gpu-boards.md').replace(/ +/g, ' ');

for (const [model, board] of Object.entries(BOARDS)) {
  describe(model, () => {
    it('is in the documentation with its numbers', () => {
      assert.ok(boards.includes(`| ${model} | ${board.limit} W | ${board.open} W | ${computesAt(board)} W |`));
    });

    it('neither computes nor does something with an idle process, and computes before its limit', () => {
      assert.ok(board.open < SOMETHING * computesAt(board));
      assert.ok(computesAt(board) < 0.7 * board.limit);
    });

    it('is found before a board whose name is a part of its name', () => {
      assert.equal(
        Object.keys(BOARDS).find((other) => model.includes(other)),
        model
      );
    });
  });
}
