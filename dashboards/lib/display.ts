import type { DataLink } from './links.ts';

/** How the values of one field are shown, where that differs from the rest of the panel. */
export interface Look {
  unit?: string;
  decimals?: number;
  min?: number;
  max?: number;
  /** Colors from a value on, lowest first; the first counts from the bottom. */
  steps?: Steps;
  /** Words for numbers. */
  words?: Record<string, { text: string; color?: string }>;
  color?: string;
  link?: DataLink;
  /** A table's cell: a bar, or a colored text. */
  cell?: 'gauge' | 'color-text';
  width?: number;
  /** Of a column that takes what the others leave. */
  minWidth?: number;
  title?: string;
  /** Shown instead of every number or time. */
  text?: string;
  /** A word for what is missing. */
  absent?: string;
  /** A table's cell goes on in the next line. */
  wrap?: true;
  /** A table has the sum of the column below it. */
  total?: true;
  axis?: 'right';
  hidden?: true;
  /** How dense the area below a line is, from 0 to 100. */
  fill?: number;
  lineWidth?: number;
}

export type Steps = Array<[from: number, color: string]>;

export const thresholds = (steps: Steps) => ({
  mode: 'absolute',
  steps: steps.map(([value, color], index) => ({ value: index === 0 ? null : value, color })),
});

/** A look as the properties of an override. */
export function properties(look: Look): Array<{ id: string; value: unknown }> {
  const { steps = look.cell === 'color-text' ? plain : undefined } = look;
  const list: Array<[id: string, value: unknown]> = [
    ['unit', look.unit],
    ['decimals', look.decimals],
    ['min', look.min],
    ['max', look.max],
    ['displayName', look.title],
    ['thresholds', steps && thresholds(steps)],
    ['color', color(look)],
    ['mappings', hasMappings(look) ? [...mappings(look.words), ...constant(look), ...absent(look)] : undefined],
    ['links', look.link && [look.link]],
    ['custom.cellOptions', cell(look)],
    ['custom.width', look.width],
    ['custom.minWidth', look.minWidth],
    ['custom.wrapText', look.wrap],
    ['custom.align', look.wrap && 'left'],
    ['custom.footer.reducers', look.total && ['sum']],
    ['custom.axisPlacement', look.axis],
    ['custom.axisSoftMax', look.axis && leastOfAxis(look.unit)],
    ['custom.hidden', look.hidden],
    ['custom.fillOpacity', look.fill],
    ['custom.lineWidth', look.lineWidth],
  ];
  return list.filter(([, value]) => value !== undefined).map(([id, value]) => ({ id, value }));
}

/** Up to where an axis of shares goes at least: of nothing but 0 it would go to 10,000 %. */
export const leastOfAxis = (unit?: string) => (unit === 'percentunit' ? 0.01 : undefined);

export const mappings = (words: Look['words']) => (words ? [{ type: 'value', options: words }] : []);

const hasMappings = ({ words, text, absent, cell }: Look): boolean => Boolean(words ?? text ?? absent ?? cell);

const constant = ({ text }: Look) =>
  text ? [{ type: 'range', options: { from: 0, to: Number.MAX_SAFE_INTEGER, result: { text } } }] : [];

/**
 * What is missing, or was divided by what is missing, is neither good nor bad: without this its cell has the color of the lowest or the
 * highest step.
 */
function absent({ absent, cell }: Look) {
  if (!absent && !cell) {
    return [];
  }
  const result = { text: absent ?? '–', color: 'text' };
  return [
    { type: 'special', options: { match: 'null+nan', result } },
    { type: 'range', options: { from: Number.MAX_SAFE_INTEGER, to: null, result } },
  ];
}

function color({ color, steps, cell }: Look) {
  if (color) {
    return { mode: 'fixed', fixedColor: color };
  }
  return steps || cell ? { mode: 'thresholds' } : undefined;
}

function cell({ cell }: Look) {
  return cell === 'gauge' ? { type: 'gauge', mode: 'basic', valueDisplayMode: 'text' } : cell && { type: cell };
}

/** Good up to the first number, worth a look up to the second, bad above. Not yellow, which can't be read on white. */
export const badAbove = (worthALook: number, bad: number): Steps => [
  [0, 'green'],
  [worthALook, 'orange'],
  [bad, 'red'],
];

/** Bad below the first number, worth a look below the second, good above. */
export const badBelow = (bad: number, worthALook: number): Steps => [
  [0, 'red'],
  [bad, 'orange'],
  [worthALook, 'green'],
];

/** One is as bad as several. */
export const anyIs = (color: string): Steps => [
  [0, 'green'],
  [1, color],
];

/** Without a color of its own. */
const plain: Steps = [[0, 'text']];

/** Neither good nor bad. The first is the color of the sentence of a panel without numbers, too. */
export const neutral: Steps = [
  [-1, 'text'],
  [0, 'blue'],
];

/** A column of shares from 0 to 1, drawn as bars. */
export const shareGauge = (title: string, steps = neutral): Look => ({
  title,
  unit: 'percentunit',
  decimals: 0,
  min: 0,
  max: 1,
  cell: 'gauge',
  steps,
});

/** A column of shares. */
export const percent = (title: string, width = 85): Look => ({ title, unit: 'percentunit', decimals: 0, width });

/** A number of hours of GPUs. */
export const GPU_HOURS: Look = { title: 'GPU-hours', unit: 'locale', decimals: 1 };

/** Temperatures of data-center GPUs in °C: most slow down from about 87. */
export const HEAT = badAbove(75, 85);

/** States of jobs, in the colors that annotations have. */
export const STATUSES: NonNullable<Look['words']> = {
  running: { text: 'running', color: 'blue' },
  succeeded: { text: 'succeeded', color: 'green' },
  failed: { text: 'failed', color: 'red' },
  cancelled: { text: 'cancelled', color: 'text' },
  paused: { text: 'paused', color: 'orange' },
  queued: { text: 'queued', color: 'yellow' },
  pending: { text: 'pending', color: 'yellow' },
  validating_files: { text: 'validating files', color: 'yellow' },
};

/** Levels of events. */
export const LEVELS: NonNullable<Look['words']> = {
  info: { text: 'info', color: 'text' },
  warn: { text: 'warning', color: 'orange' },
  error: { text: 'error', color: 'red' },
};
