import { useCallback, useMemo, useState } from 'react';
import { dateTime, rangeUtil, type RawTimeRange, type TimeRange } from '@grafana/data';

export interface TimeRangeControl {
  timeRange: TimeRange;
  setTimeRange: (range: RawTimeRange) => void;
  /** Evaluates a relative range anew, so that `now` is now. */
  refresh: () => void;
  move: (direction: -1 | 1) => void;
  zoomOut: () => void;
}

/** A time range as the time picker of a dashboard keeps it; relative ranges stay relative. */
export function useTimeRange(initial: RawTimeRange): TimeRangeControl {
  const [raw, setTimeRange] = useState(initial);
  const [revision, setRevision] = useState(0);
  // `revision` is not read: a new one means that the range has to be evaluated again.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const timeRange = useMemo(() => rangeUtil.convertRawToRange(raw), [raw, revision]);

  const refresh = useCallback(() => setRevision((previous) => previous + 1), []);
  const setAbsolute = (from: number, to: number) => setTimeRange({ from: dateTime(from), to: dateTime(to) });
  const from = timeRange.from.valueOf();
  const to = timeRange.to.valueOf();
  const half = (to - from) / 2;

  return {
    timeRange,
    setTimeRange,
    refresh,
    move: (direction) => setAbsolute(from + direction * half, to + direction * half),
    zoomOut: () => setAbsolute(from - half, to + half),
  };
}
