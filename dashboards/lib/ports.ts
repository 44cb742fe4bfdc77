// Ports of InfiniBand that fail, for the dashboards that list them: the same ports over the same time.
import type { Scope } from '../../src/catalog/quantities.ts';
import type { Steps } from './display.ts';
import { atEnd } from './quantities.ts';

/** The labels of a port. */
export const OF_PORT = 'cluster_id, vm_name, hca_number';

/** Errors of an hour from which on a port is a finding: that of infiniband-diags, etc/error_thresholds. */
export const ERRORS_AN_HOUR = 10;

/** Once in a range a link goes down on any large fleet. The threshold of infiniband-diags is 10, since its counters were cleared. */
export const DOWN_OFTEN: Steps = [
  [0, 'text'],
  [2, 'orange'],
  [10, 'red'],
];

/**
 * The errors of ports that have many, and 0 of ports whose link went down: one stops the jobs that use it.
 * @param window as a duration, and how many hours it has
 */
export const failingPorts = (of: Scope, window: string, hours: string): string =>
  `(${atEnd('portErrors', of, OF_PORT, window)} > ${ERRORS_AN_HOUR} * ${hours} or 0 * (${atEnd('linksDown', of, OF_PORT, window)} > 0))`;
