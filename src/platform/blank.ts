import type { PlacementFormat, PlatformQuery } from './query';

/** Whether a query can't be run yet, because what it is about is still to be filled in. */
export function isBlank(query: PlatformQuery): boolean {
  switch (query.queryType) {
    case 'platform':
      return !query.path;
    case 'placement':
      return !query.gpus && needsGpus(query.format);
    case 'capacities':
      return false;
  }
}

/** Whether a result depends on how many GPUs are wanted. Numbers are what is possible anyway. */
export const needsGpus = (format: PlacementFormat = 'table'): boolean => ['table', 'answer', 'hours'].includes(format);
