import { useEffect, useState } from 'react';
import { getDefaultTimeRange, type DataQueryError, type TimeRange } from '@grafana/data';
import type { MetricsDataSource } from '../../metrics/MetricsDataSource';
import { errorMessage } from '../../responseErrors';

/** Which metrics the platform has in a time range: not known while the list is on its way, or if it can't be had. */
export interface PlatformMetrics {
  names?: ReadonlySet<string>;
  /** Why the list can't be had, in a sentence. */
  error?: string;
}

/** Lists the names of the platform's metrics in the time range. */
export function usePlatformMetrics(metrics: MetricsDataSource, range?: TimeRange): PlatformMetrics {
  const [found, setFound] = useState<PlatformMetrics>({});
  // Asked once: what is on show should not move when a dashboard refreshes.
  const [asked] = useState(() => range ?? getDefaultTimeRange());

  useEffect(() => {
    let shown = true;
    const show = (answer: PlatformMetrics) => shown && setFound(answer);
    // Not by the language provider, which answers a failure with an empty list.
    metrics
      .metadataRequest('api/v1/label/__name__/values', metrics.getTimeRangeParams(asked), { showErrorAlert: false })
      .then(
        ({ data }: { data: { data?: string[] } }) => show({ names: new Set(data.data) }),
        (error: DataQueryError) => show({ error: errorMessage(error) })
      );
    return () => {
      shown = false;
    };
  }, [metrics, asked]);

  return found;
}
