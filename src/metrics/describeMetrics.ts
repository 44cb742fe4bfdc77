import type { PromMetricsMetadata } from '@grafana/prometheus';
import { namesOf } from '../catalog/metrics/aliases.ts';
import { METRIC_GROUPS } from '../catalog/metrics/groups.ts';
import { findPrefix, seriesNames, withPrefix } from '../catalog/metrics/naming.ts';
import { UNIT_SYMBOLS, type MetricFamily } from '../catalog/metrics/types.ts';

/**
 * Adds type, unit and meaning from the catalog to metrics without a description, and the unit to the meanings that the
 * backend has from the catalog: the metrics explorer shows nothing else. Descriptions of the platform, and metrics that
 * the catalog does not have, stay as they are.
 */
export function describeMetrics(known: PromMetricsMetadata): PromMetricsMetadata {
  const prefix = findPrefix(Object.keys(known), METRIC_GROUPS);
  const described = { ...known };
  for (const family of METRIC_GROUPS.flatMap(({ families }) => families)) {
    for (const name of namesOf(withPrefix(family.name, prefix))) {
      if (known[name] && ['', undefined, family.help].includes(known[name].help)) {
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
