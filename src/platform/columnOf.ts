import { DataFrameView, type DataFrame } from '@grafana/data';

/** The different values of a column as text, in the order in which they first appear, without blanks. */
export function columnOf(frames: DataFrame[], name: string): string[] {
  const values = frames.flatMap((frame) =>
    new DataFrameView<Record<string, unknown>>(frame).map((row) => String(row[name] ?? ''))
  );
  return [...new Set(values.filter(Boolean))];
}
