import React from 'react';
import { TimeRangePicker } from '@grafana/ui';
import { type TimeRangeControl } from '../data/useTimeRange';

/** Grafana's time range picker. Times are shown in the browser's zone: the preview has no user who could choose one. */
export function TimeControls({ control }: { control: TimeRangeControl }) {
  return (
    <TimeRangePicker
      isOnCanvas
      value={control.timeRange}
      timeZone="browser"
      onChange={(range) => control.setTimeRange(range.raw)}
      onChangeTimeZone={() => {}}
      onMoveBackward={() => control.move(-1)}
      onMoveForward={() => control.move(1)}
      onZoom={control.zoomOut}
    />
  );
}
