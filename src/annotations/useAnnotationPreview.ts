import { CoreApp, getDefaultTimeRange, type AnnotationEvent, type DataFrame, type TimeRange } from '@grafana/data';
import { t } from '../i18n';
import type { GpuCloud } from '../GpuCloud';
import { useResult, type Result } from '../query/useResult';
import { requestOf } from '../queryFrames';
import type { TypedQuery } from '../types';
import { eventsOf } from './events';

/**
 * What an annotation would draw. Grafana runs its query too, but passes the result of the query before, because it does so
 * while the change is under way.
 */
export function useAnnotationPreview(
  query: TypedQuery,
  datasource: GpuCloud,
  iconColor: string,
  range: TimeRange = getDefaultTimeRange()
): Result<AnnotationEvent> {
  const request = { ...requestOf('gpucloud-annotation-preview', query, range), app: CoreApp.Dashboard };
  return useResult(datasource, request, (frames) => read(frames, query, iconColor, range), iconColor);
}

function read(frames: DataFrame[], query: TypedQuery, iconColor: string, { from, to }: TimeRange) {
  const { events, notices } = eventsOf(query, frames, iconColor);
  const inRange = events.filter(({ time = NaN, timeEnd = time }) => time <= to.valueOf() && timeEnd >= from.valueOf());
  const outside = events.length - inRange.length;
  return {
    items: inRange,
    notices: [
      ...notices,
      ...(outside > 0
        ? [
            t(outside === 1 ? '1 event lies outside this range.' : '{{count}} events lie outside this range.', {
              count: outside,
            }),
          ]
        : []),
    ],
  };
}
