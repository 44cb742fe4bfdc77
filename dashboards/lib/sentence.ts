import { facts, type Panel } from './panels.ts';

/**
 * A text of the result in large letters.
 * @param field the column that has it
 * @param colors by the word that it begins with
 */
export function sentence(spec: Parameters<typeof facts>[0], field: string, colors: Record<string, string>): Panel {
  const panel = facts({ ...spec, unit: 'string' });
  const mappings = Object.entries(colors).map(([word, color], index) => ({
    type: 'regex',
    options: { pattern: `^${word}\\b.*`, result: { color, index } },
  }));
  return {
    ...panel,
    options: { ...panel.options, reduceOptions: { calcs: ['lastNotNull'], fields: `/^${field}$/` }, textMode: 'value' },
    fieldConfig: { ...panel.fieldConfig!, defaults: { ...panel.fieldConfig!.defaults, mappings } },
  };
}
