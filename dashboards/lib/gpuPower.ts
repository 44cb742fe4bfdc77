// Power of GPUs, relative to what is known of their boards.
import { BOARDS, OTHER_BOARD, type Board } from '../../src/catalog/boards.ts';

const OTHER = 'other';

/** Numbers of GPUs with the label `board`, from their label `modelName`. */
const withBoard = (expr: string): string => {
  const other = `label_replace(${expr}, "board", "${OTHER}", "", "")`;
  return `label_replace(${other}, "board", "$1", "modelName", ".*?(${Object.keys(BOARDS).join('|')}).*")`;
};

/** Watts of GPUs, with the label `modelName`, divided by a number of their board. */
export function ofBoard(watts: string, number: (board: Board) => number): string {
  const table = Object.entries({ ...BOARDS, [OTHER]: OTHER_BOARD }).map(
    ([model, board]) => `label_replace(vector(${number(board)}), "board", "${model}", "", "")`
  );
  return `${withBoard(watts)} / on (board) group_left () (${table.join(' or ')})`;
}
