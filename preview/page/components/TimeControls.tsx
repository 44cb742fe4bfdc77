import React, { useCallback, useMemo, useState } from 'react';
import { dateTime, rangeUtil, type RawTimeRange, type TimeRange } from '@grafana/data';
import { TimeRangePicker } from '@grafana/ui';

interface TimeRangeControl {
  timeRange: TimeRange;
  setTimeRange: (range: RawTimeRange) => void;
  /** Evaluates a relative range anew, so that `now` is now. */
  refresh: () => void;
}

/** The time range of a view, six hours at first; relative ranges stay relative. */
export function useTimeRange(): TimeRangeControl {
  const [{ raw }, setTime] = useState<{ raw: RawTimeRange }>({ raw: { from: 'now-6h', to: 'now' } });
  return {
    timeRange: useMemo(() => rangeUtil.convertRawToRange(raw), [raw]),
    setTimeRange: useCallback((raw: RawTimeRange) => setTime({ raw }), []),
    refresh: useCallback(() => setTime((last) => ({ raw: { ...last.raw } })), []),
  };
}

/** Grafana's time range picker, in the browser's time zone. */
export function TimeControls({ control }: { control: TimeRangeControl }) {
  const { timeRange, setTimeRange } = control;
  const [from, to] = [timeRange.from.valueOf(), timeRange.to.valueOf()];
  const half = (to - from) / 2;
  const change = (start: number, end: number) => setTimeRange({ from: dateTime(start), to: dateTime(end) });
  return (
    <TimeRangePicker
      isOnCanvas
      value={timeRange}
      timeZone="browser"
      onChange={(range) => setTimeRange(range.raw)}
      onChangeTimeZone={() => {}}
      onMoveBackward={() => change(from - half, to - half)}
      onMoveForward={() => change(from + half, to + half)}
      onZoom={() => change(from - half, to + half)}
    />
  );
}
