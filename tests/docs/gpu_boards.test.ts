import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { BOARDS, computesAt, SOMETHING } from '../../dashboards/lib/gpuBoards.ts';

const page = readFileSync('docs/reference/gpu-boards.md', 'utf8').replace(/ +/g, ' ');

for (const [model, board] of Object.entries(BOARDS)) {
  describe(model, () => {
    it('is in the documentation with its numbers', () => {
      assert.ok(page.includes(`| ${model} | ${board.limit} W | ${board.open} W | ${computesAt(board)} W |`));
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
