import { readFileSync } from 'fs';
import { BOARDS, computesAt, SOMETHING } from './boards';

const page = readFileSync('docs/reference/gpu-boards.md', 'utf8').replace(/ +/g, ' ');

describe.each(Object.entries(BOARDS))('%s', (model, board) => {
  it('is in the documentation with its numbers', () => {
    expect(page).toContain(`| ${model} | ${board.limit} W | ${board.open} W | ${computesAt(board)} W |`);
  });

  it('neither computes nor does something with an idle process, and computes before its limit', () => {
    expect(board.open).toBeLessThan(SOMETHING * computesAt(board));
    expect(computesAt(board)).toBeLessThan(0.7 * board.limit);
  });

  it('is found before a board whose name is a part of its name', () => {
    const models = Object.keys(BOARDS);
    expect(models.find((other) => model.includes(other))).toBe(model);
  });
});
