// Panels of quantities, with the titles, units and meanings of their table.
import { QUANTITIES, type QuantityName, type Scope } from '../../src/catalog/quantities.ts';
import type { Look } from './display.ts';
import { facts, graph, type GraphSpec, type Panel } from './panels.ts';
import { withNode } from './promql.ts';
import { atEnd, inSteps } from './quantities.ts';
import { instant, range } from './queries.ts';

interface Lines extends Omit<GraphSpec, 'description' | 'queries'> {
  /** Their legends. */
  lines: Partial<Record<QuantityName, string>>;
  of: Scope | ((name: QuantityName) => Scope);
  /** By what there is a line where the legend has a label, that of nodes included. By that label alone, if it is missing. */
  by?: string;
  /** What the lines mean, if it is missing. */
  description?: string;
}

const LABEL = /^.*\{\{(\w+)\}\} ?/;

/** Lines of quantities over time, in the unit of the first. */
export function quantities({ lines, of, by, ...spec }: Lines): Panel {
  const entries = Object.entries(lines) as Array<[QuantityName, string]>;
  const meanings = entries.map(([name, legend]) => [legend.replace(LABEL, ''), QUANTITIES[name].meaning]);
  return graph({
    description: `${meanings.map((parts) => parts.filter(Boolean).join(': ')).join('. ')}.`,
    unit: QUANTITIES[entries[0][0]].unit,
    ...spec,
    queries: entries.map(([name, legend]) => {
      const [, label = ''] = LABEL.exec(legend) ?? [];
      const line = inSteps(name, typeof of === 'function' ? of(name) : of, label && (by ?? label));
      return range(by && label ? withNode(line) : line, legend);
    }),
  });
}

/** Quantities at the end of the range, each in its unit. */
export const numbersOf = (
  quantities: Array<[name: QuantityName, of: Scope, look?: Look]>,
  spec: Omit<Parameters<typeof facts>[0], 'title' | 'queries' | 'looks'>
): Panel =>
  facts({
    unit: 'none',
    decimals: 0,
    ...spec,
    // True whether the range ends now or not.
    title: 'At the end of the range',
    description: `${spec.description} That is now, if the range ends now.`,
    queries: quantities.map(([name, of]) => instant(atEnd(name, of), QUANTITIES[name].title)),
    looks: Object.fromEntries(
      quantities.map(([name, , look]): [string, Look] => [
        QUANTITIES[name].title,
        { unit: QUANTITIES[name].unit, ...look },
      ])
    ),
  });
