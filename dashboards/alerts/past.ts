// What was the case some time ago. Single moments, because a day of all samples is much to read; by labels that stay, because an
// exporter that restarts may give its series another `instance`, and windows of `increase` or `delta` then count from 0 or not at all.
import { named } from '../lib/host.ts';
import { over } from '../lib/promql.ts';

/** The newest samples now, or a time ago. One or two scrapes may be missed, also of what is collected every 5 minutes. */
const samples = (selector: string, ago?: string): string =>
  named(over('last_over_time', selector, '15m', ago && ` offset ${ago}`));

/** The highest of the series that have the same labels `by`. */
export const highest = (by: string, selector: string, ago?: string): string =>
  `max by (${by}) (${samples(selector, ago)})`;

/** That of the first of some moments at which there was one. */
export const before = (by: string, selector: string, moments: string[]): string =>
  `(${moments.map((ago) => highest(by, selector, ago)).join(' or ')})`;

/** By how much a counter is above what it was at the first of these moments. A counter that began again is below. */
export const risen = (by: string, selector: string, moments: string[]): string =>
  `${highest(by, selector)} - ${before(by, selector, moments)}`;

/** What had samples at any of some moments. Each is twice as long ago: what was there for as long as it is gone is found. */
export const seen = (by: string, selector: string, moments: string[]): string =>
  `(${moments.map((ago) => `group by (${by}) (${samples(selector, ago)})`).join(' or ')})`;

export const HOURS = ['30m', '1h', '2h'];
export const UP_TO_A_DAY = ['4h', '8h', '16h', '1d'];
export const A_DAY = [...HOURS, ...UP_TO_A_DAY];
