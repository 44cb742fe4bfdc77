// Power of GPUs, relative to what is known of their boards.
import { BOARDS, computesAt, computesAtOf, OTHER_BOARD } from './gpuBoards.ts';

/** Models that the table has: as a word of their own, because a GH200 is no H200, and an A10G no A10. */
const ofModels = (models: string[]): string => `.*?\\\\b(${models.join('|')})\\\\b.*`;
const KNOWN = ofModels(Object.keys(BOARDS));

/** The same without their variants, such as those for PCIe, whose names begin with one of the others. */
const ANY_KNOWN = ofModels(Object.keys(BOARDS).filter((model) => !/[ -]/.test(model)));

/** The label `board`: the model as the table has it, or the label `modelName`. */
const withModel = (expr: string): string => `label_replace(${expr},"b","$1","modelName","(.+)")`;
const withBoard = (expr: string): string => `label_replace(${withModel(expr)},"b","$1","modelName","${KNOWN}")`;

/**
 * Watts of GPUs, with the label `modelName`, divided by those from which on their board computes: as the table has it, else by the highest
 * power of the model in a day, from a function and a matcher. A model of which no GPU drew twice the least did nothing all day.
 */
export function ofBoard(watts: string, ofDay: (fn: string, matcher: string) => string): string {
  const table = Object.entries(BOARDS).map(
    ([model, board]) => `label_replace(vector(${computesAt(board)}),"b","${model}","","")`
  );
  const ofOthers = (of: 'max' | 'min', fn = `${of}_over_time`) =>
    `${of} by (modelName) (${ofDay(fn, `modelName!~"${ANY_KNOWN}"`)})`;
  const worked = `(${ofOthers('max')} > 2 * ${ofOthers('min')})`;
  const others = `(${computesAtOf(worked)} or ${computesAt(OTHER_BOARD)} + 0 * ${ofOthers('max', 'last_over_time')})`;
  return `${withBoard(watts)} / on (b) group_left () (${table.join(' or ')} or ${withModel(others)})`;
}
