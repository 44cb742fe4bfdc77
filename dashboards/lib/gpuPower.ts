// Power of GPUs, relative to what is known of their boards.
import { copied } from './allocation.ts';
import { BOARDS, computesAt, computesAtOf } from './gpuBoards.ts';
import { labeledNumber } from './promql.ts';

/** Models that the table has: as a word of their own, because a GH200 is no H200, and an A10G no A10. */
const ofModels = (models: string[]): string => `.*?\\\\b(${models.join('|')})\\\\b.*`;
const KNOWN = ofModels(Object.keys(BOARDS));

/** The same without their variants, such as those for PCIe, whose names begin with one of the others. */
const ANY_KNOWN = ofModels(Object.keys(BOARDS).filter((model) => !/[ -]/.test(model)));

/** Models of the table by the watts from which on their board computes. */
const BY_WATTS = Object.entries(BOARDS).reduce(
  (all, [model, board]) => all.set(computesAt(board), [...(all.get(computesAt(board)) ?? []), model]),
  new Map<number, string[]>()
);

/** The label `b`: the model as the table has it, the first of several of the same watts, or the label `modelName`. */
const withModel = (expr: string): string => copied(expr, 'b', 'modelName', '(.*)');
const withBoard = (expr: string): string =>
  [...BY_WATTS.values()].reduce(
    (so, [first, ...others]) =>
      others.length > 0 ? `label_replace(${so},"b","${first}","b","${others.join('|')}")` : so,
    `label_replace(${withModel(expr)},"b","$1","modelName","${KNOWN}")`
  );

/**
 * Watts of GPUs, with the label `modelName`, divided by those from which on their board computes: as the table has it, else by the highest
 * power of the model in a day, from the newest that a matcher chooses. Nothing for a model of which no GPU drew twice the least: it did nothing all day.
 */
export function ofBoard(watts: string, newest: (matcher: string) => string): string {
  const table = [...BY_WATTS].map(([atLeast, [model]]) => labeledNumber(`${atLeast}`, 'b', model));
  const ofDay = (of: 'max' | 'min') =>
    `${of}_over_time((${of} by (modelName) (${newest(`modelName!~"${ANY_KNOWN}"`)}))[1d:7m])`;
  const others = `(${computesAtOf(`(${ofDay('max')} > 2 * ${ofDay('min')})`)})`;
  return `${withBoard(watts)} / on (b) group_left () (${table.join(' or ')} or ${withModel(others)})`;
}
