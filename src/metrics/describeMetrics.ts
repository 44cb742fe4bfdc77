import type { PromMetricsMetadata } from '@grafana/prometheus';
import { namesOf } from '../catalog/metrics/aliases.ts';
import { METRIC_GROUPS } from '../catalog/metrics/groups.ts';
import { findPrefix, seriesNames, withPrefix } from '../catalog/metrics/naming.ts';
import { UNIT_SYMBOLS, type MetricFamily } from '../catalog/metrics/types.ts';

/**
 * Fills in what the platform does not tell about its metrics: type, unit and meaning, from the catalog. What the
 * platform tells itself is kept, and so are metrics that the catalog does not know.
 */
export function describeMetrics(known: PromMetricsMetadata): PromMetricsMetadata {
  const prefix = findPrefix(Object.keys(known), METRIC_GROUPS);
  const described = { ...known };
  for (const family of METRIC_GROUPS.flatMap(({ families }) => families)) {
    for (const name of namesOf(withPrefix(family.name, prefix))) {
      if (known[name] && !known[name].help) {
        for (const series of [name, ...seriesNames(name, family.type === 'histogram')]) {
          described[series] = describe(family);
        }
      }
    }
  }
  return described;
}

function describe({ type, unit, help }: MetricFamily): PromMetricsMetadata[string] {
  const symbol = UNIT_SYMBOLS[unit];
  return { type, unit: symbol, help: symbol ? `${help} Unit: ${symbol}.` : help };
}
