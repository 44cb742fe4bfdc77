import type { PlatformQuery } from './query';

/** A query in a line, for query history and folded editors: `Capacities · a100.8x · us-east1-a`. */
export function describePlatform(query: PlatformQuery): string {
  if (query.queryType === 'platform') {
    return query.path;
  }
  const chosen = [query.productNames, query.locations].filter((list) => list?.length);
  const format = query.format === 'number' ? ['number'] : [];
  return ['Capacities', ...format, ...chosen.map((list) => list?.join(', '))].join(' · ');
}
