// Power of GPUs, relative to what is known of their boards.
import { copied, labeledNumber } from './promql.ts';

/** The power of a GPU's board in watts. */
interface Board {
  /** The limit that it comes with, from NVIDIA's data sheet of the model. */
  limit: number;
  /** What it draws while no kernel runs; with a process that has it open up to a third more, because clocks stay up. */
  open: number;
}

/**
 * Boards by words of the label `modelName`, the more specific first.
 *
 * An A100 draws 62 W at the 5th and 66 W at the 25th percentile of all samples of two clusters: AcmeTrace,
 * https://github.com/InternLM/AcmeTrace. The others are typical of the same state as nvidia-smi shows it.
 */
export const BOARDS: Readonly<Record<string, Board>> = {
  B300: { limit: 1100, open: 200 },
  B200: { limit: 1000, open: 190 },
  'H100 PCIe': { limit: 350, open: 80 },
  'H100 NVL': { limit: 400, open: 90 },
  H100: { limit: 700, open: 115 },
  H200: { limit: 700, open: 115 },
  H800: { limit: 700, open: 115 },
  H20: { limit: 500, open: 110 },
  'A100 80GB PCIe': { limit: 300, open: 65 },
  'A100-PCIE': { limit: 250, open: 55 },
  A100: { limit: 400, open: 68 },
  A800: { limit: 400, open: 68 },
  L40S: { limit: 350, open: 85 },
  L40: { limit: 300, open: 80 },
  L4: { limit: 72, open: 30 },
  A40: { limit: 300, open: 75 },
  A6000: { limit: 300, open: 70 },
  A30: { limit: 165, open: 35 },
  A10: { limit: 150, open: 57 },
  V100: { limit: 300, open: 57 },
  T4: { limit: 70, open: 28 },
};

/**
 * Of the power of a board that computes: above this share of it, a GPU does something. With a process that runs nothing an A100 PCIe draws 71 %
 * and eight H100 52 to 67 %: https://github.com/8bitai/gpu-parking-tax. An L40S draws 74 %, but at a higher share than this what runs seldom
 * would be idle where scrapes are five minutes apart.
 */
export const SOMETHING = 0.72;

/**
 * Of the same: half of the way from open to the limit, 1.6 to 1.75 on boards of 200 W and more. No GPU draws more on average whose kernels run for
 * less than half of the time.
 */
export const HALF_WAY = 1.7;

/**
 * From how many watts on a board computes: a fifth of the way from open to the limit, which is a third of the limit of large boards.
 * An A100 at work may draw 180 W of 400, one whose collective spins draws up to 110. Of small boards it is so far above `open` that an
 * idle process draws less than {@link SOMETHING} of it, by 5 %.
 */
export const computesAt = ({ limit, open }: Board): number =>
  Math.round(Math.max(open + 0.2 * (limit - open), (1.05 * open) / SOMETHING));

/**
 * The same as PromQL, for a model that the table doesn't have, from the highest power of a day, which is close to the limit where GPUs
 * work: the line through the boards of the table, from 45 W of 70 W to 380 W of 1100 W, which none but the A10 is further than a quarter from.
 */
export const computesAtOf = (highest: string): string => `20 + 0.3 * ${highest}`;

/** Models that the table has: as a word of their own, because a GH200 is no H200, and an A10G no A10. */
const KNOWN = `.*?\\\\b(${Object.keys(BOARDS).join('|')})\\\\b.*`;

/** Those of large fleets, whose power needn't be read for the models that the table lacks. */
const LARGE = '.*\\\\b(B[23]|H[128]|A[18]|V1)00\\\\b.*';

/** Models of the table by the watts from which on their board computes. */
const BY_WATTS = Map.groupBy(Object.keys(BOARDS), (model) => computesAt(BOARDS[model]));

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
    `${of}_over_time((${of} by (modelName) (${newest(`modelName!~"${LARGE}"`)}))[1d:7m])`;
  const others = `(${computesAtOf(`(${ofDay('max')} > 2 * ${ofDay('min')})`)})`;
  return `${withBoard(watts)} / on (b) group_left () (${table.join(' or ')} or ${withModel(others)})`;
}
