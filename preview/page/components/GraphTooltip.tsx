import React from 'react';
import { type DataFrame, formattedValueToString, getFieldDisplayName, getFieldSeriesColor } from '@grafana/data';
import { useTheme2, VizTooltipContent, VizTooltipHeader, VizTooltipWrapper } from '@grafana/ui';

interface Props {
  /** The graph's frames joined by time: field 0 is the time. */
  frame: DataFrame;
  /** For each field, the row under the cursor, or null. */
  indexes: Array<number | null>;
  isPinned: boolean;
}

/** The time under the cursor, and every series' value there, the highest first. */
export function GraphTooltip({ frame, indexes, isPinned }: Props) {
  const theme = useTheme2();
  const [time, ...series] = frame.fields;
  const timeIndex = indexes[0];
  if (timeIndex === null || timeIndex === undefined) {
    return null;
  }
  const items = series
    .map((field, i) => {
      const row = indexes[i + 1];
      const numeric: number | null = row === null || row === undefined ? null : field.values[row];
      return { field, numeric };
    })
    .filter((item): item is typeof item & { numeric: number } => item.numeric !== null && item.numeric !== undefined)
    .sort((a, b) => b.numeric - a.numeric)
    .map(({ field, numeric }) => ({
      label: getFieldDisplayName(field, frame),
      value: field.display ? formattedValueToString(field.display(numeric)) : String(numeric),
      color: getFieldSeriesColor(field, theme).color,
      numeric,
    }));
  const at = time.display ? formattedValueToString(time.display(time.values[timeIndex])) : '';

  return (
    <VizTooltipWrapper>
      <VizTooltipHeader item={{ label: '', value: at }} isPinned={isPinned} />
      <VizTooltipContent items={items} isPinned={isPinned} scrollable={isPinned} />
    </VizTooltipWrapper>
  );
}
