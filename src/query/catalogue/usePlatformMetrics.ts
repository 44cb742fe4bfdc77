import { useEffect, useState } from 'react';
import { getDefaultTimeRange, type TimeRange } from '@grafana/data';
import type { MetricsDataSource } from '../../metrics/MetricsDataSource';

/** The names of the platform's metrics in the time range; nothing while they are on their way. */
export function usePlatformMetrics(metrics: MetricsDataSource, range?: TimeRange): ReadonlySet<string> | undefined {
  const [names, setNames] = useState<ReadonlySet<string>>();
  // Asked once: what is on show should not move when a dashboard refreshes.
  const [asked] = useState(() => range ?? getDefaultTimeRange());

  useEffect(() => {
    let shown = true;
    // What goes wrong is logged by the provider, and answered with an empty list.
    void metrics.languageProvider
      .queryLabelValues(asked, '__name__')
      .then((found) => shown && setNames(new Set(found)));
    return () => {
      shown = false;
    };
  }, [metrics, asked]);

  return names;
}
