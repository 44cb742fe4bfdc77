import { rangeUtil } from '@grafana/data';
import { METRIC_GROUPS } from '../../catalog/metrics/groups.ts';
import { NEUTRAL_PREFIX } from '../../catalog/metrics/naming.ts';

/** A range vector that is too short for its function. */
export interface ShortWindow {
  /** Such as `rate(…[1m])`. */
  shown: string;
  /** How often its metric has a sample, such as `1m`. */
  interval: string;
  /** The expression with a window that is long enough at any step. */
  fixed: string;
}

/** Functions without a result for a window with fewer than two samples. */
const RATE =
  /\b(rate|irate|increase|delta|idelta|deriv|predict_linear)(\s*\()([^[\]]*)\[\s*((?:\d+(?:ms|[smhdwy]))+)\s*\]/g;

/**
 * The first window of an expression that is shorter than two scrape intervals of its metric, if there is one.
 *
 * @param scrapeInterval of metrics that the catalog does not have, such as `60s`
 */
export function shortWindow(expr: string, scrapeInterval: string): ShortWindow | undefined {
  for (const [found, name, bracket, selector, window] of expr.matchAll(RATE)) {
    const interval = intervalOf(selector) ?? scrapeInterval;
    if (milliseconds(window) < 2 * milliseconds(interval)) {
      const fixed = expr.replace(found, () => `${name}${bracket}${selector}[$__rate_interval]`);
      return { shown: `${name}(…[${window}])`, interval, fixed };
    }
  }
  return undefined;
}

/** How often the platform collects the metric of a selector, as far as the catalog knows. */
function intervalOf(selector: string): string | undefined {
  return METRIC_GROUPS.find(({ families }) =>
    families.some(({ name }) =>
      selector.includes(name.startsWith(NEUTRAL_PREFIX) ? name.slice(NEUTRAL_PREFIX.length) : name)
    )
  )?.interval;
}

/** PromQL's durations may have several parts: `1h30m`. */
function milliseconds(duration: string): number {
  const parts = duration.match(/\d+(ms|[smhdwy])/g) ?? [];
  return parts.reduce((sum, part) => sum + rangeUtil.intervalToMs(part), 0);
}
