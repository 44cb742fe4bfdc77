import { BigValueTextMode, ReduceDataOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import { MappingType, type Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import type * as stat from '@grafana/grafana-foundation-sdk/stat';
import { facts, type PlacedPanel } from './panels.ts';

/**
 * A text of the result in large letters.
 * @param field the column that has it
 * @param colors by the word that it begins with
 */
export function sentence(
  spec: Omit<Parameters<typeof facts>[0], 'unit'>,
  field: string,
  colors: Record<string, string>
): PlacedPanel {
  const placed = facts({ ...spec, unit: 'string' });
  const panel = placed.panel as stat.PanelBuilder & { build(): Panel };
  panel
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).fields(`/^${field}$/`))
    .textMode(BigValueTextMode.Value)
    .mappings(
      Object.entries(colors).map(([word, color], index) => ({
        type: MappingType.RegexToText,
        options: { pattern: `^${word}\\b.*`, result: { color, index } },
      }))
    );
  return placed;
}
