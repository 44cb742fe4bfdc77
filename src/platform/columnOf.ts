import type { DataFrame } from '@grafana/data';

/** The different values of a column as text, in the order in which they first appear, without blanks. */
export function columnOf(frames: DataFrame[], name: string): string[] {
  const values = frames.flatMap(({ fields }): unknown[] => fields.find((field) => field.name === name)?.values ?? []);
  return [...new Set(values.map((value) => String(value ?? '')).filter(Boolean))];
}
