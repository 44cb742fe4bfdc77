import { useState } from 'react';
import useAsync from 'react-use/lib/useAsync';
import { getDefaultTimeRange, type TimeRange } from '@grafana/data';
import type { MetricsDataSource } from '../../metrics/MetricsDataSource';
import { errorMessage } from '../../responseErrors';

/** The metrics that the platform has in a time range: unknown while the list is loading, and when it can't be loaded. */
export interface PlatformMetrics {
  names?: ReadonlySet<string>;
  /** Why the list can't be loaded, in a sentence. */
  error?: string;
}

/** Lists the names of the platform's metrics in the time range. */
export function usePlatformMetrics(metrics: MetricsDataSource, range?: TimeRange): PlatformMetrics {
  // Requested once: the list should not change under the pointer when a dashboard refreshes.
  const [initialRange] = useState(() => range ?? getDefaultTimeRange());
  const { value, error } = useAsync(async () => {
    // Not by the language provider, which turns a failure into an empty list.
    const { data }: { data: { data?: string[] } } = await metrics.metadataRequest(
      'api/v1/label/__name__/values',
      metrics.getTimeRangeParams(initialRange),
      { showErrorAlert: false }
    );
    return new Set(data.data);
  }, [metrics, initialRange]);
  return { names: value, error: error && errorMessage(error) };
}
