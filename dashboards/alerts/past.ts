// What was the case some time ago. Single moments, because a day of all samples is much to read; by labels that stay, because an
// exporter that restarts may give its series another `instance`, and windows of `increase` or `delta` then count from 0 or not at all.
import { named } from '../lib/host.ts';

/**
 * The newest sample of each series, or that of the first of some moments at which it had one. One or two scrapes may be missed, also of what is
 * collected every 5 minutes.
 */
const samples = (selector: string, moments: string[]): string =>
  named(
    moments.length > 0
      ? `(${moments.map((ago) => `last_over_time(${selector}[15m] offset ${ago})`).join(' or ')})`
      : `last_over_time(${selector}[15m])`
  );

/** The highest of the series that have the same labels `by`. */
export const highest = (by: string, selector: string, ...moments: string[]): string =>
  `max by (${by}) (${samples(selector, moments)})`;

/** By how much a counter is above what it was at these moments. A counter that began again is below. */
export const risen = (by: string, selector: string, ...moments: string[]): string =>
  `(${highest(by, selector)} - ${highest(by, selector, ...moments)})`;

/** What had samples at any of some moments. */
export const seen = (by: string, selector: string, ...moments: string[]): string =>
  `group by (${by}) (${samples(selector, moments)})`;
