import { useMemo } from 'react';
import { DataFrameView, dateTimeFormat, formattedValueToString, getValueFormat, type DataFrame } from '@grafana/data';
import type { ComboboxOption } from '@grafana/ui';
import { requestOf } from '../queryFrames';
import { sourceIsBlank } from '../types/runSource';
import type { FieldsProps } from '../types/definition';
import type { RunComparisonQuery } from '../types/runComparison/query';
import type { RunsQuery } from '../types/runs/query';
import { useResult } from '../query/useResult';

type Props = Pick<FieldsProps<RunsQuery | RunComparisonQuery>, 'query' | 'datasource' | 'data' | 'range'>;

/** A row of a `runs` query. */
interface Row {
  run_id: string;
  run: string;
  status: string;
  start: number;
  /** Seconds. */
  length: number;
}

/** The runs of a query's source, in the dashboard's time range and under its filters, to choose from. */
export function useFoundRuns({ query: { source }, datasource, data, range }: Props) {
  const { filters, timezone: timeZone } = data?.request ?? {};
  const runs: RunsQuery = { refId: 'runs', queryType: 'runs', source, measures: [] };
  const request = sourceIsBlank(source) ? undefined : { ...requestOf('gpucloud-found-runs', runs, range), filters };
  const { frames, ...state } = useResult(datasource, request);
  const options = useMemo(() => frames.flatMap((frame) => optionsOf(frame, timeZone)), [frames, timeZone]);
  return { ...state, options };
}

function optionsOf(frame: DataFrame, timeZone?: string): ComboboxOption[] {
  return new DataFrameView<Row>(frame).toArray().map(({ run_id: value, run, status, start, length }) => {
    const began = dateTimeFormat(start, { timeZone });
    const lasted = formattedValueToString(getValueFormat('s')(length, 1));
    return { value, label: run || value, description: [status, began, lasted].filter(Boolean).join(' · ') };
  });
}
