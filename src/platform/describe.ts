import type { CapacitiesQuery, PlacementQuery, PlatformQuery } from './query';

/** A query in a line, for query history and folded editors: `Capacities · a100.8x · us-east1-a`. */
export function describePlatform(query: PlatformQuery): string {
  switch (query.queryType) {
    case 'platform':
      return query.path;
    case 'placement':
      return ['Placement', ...wanted(query), ...lists(query.types, query.locations)].join(' · ');
    case 'capacities':
      return ['Capacities', ...number(query), ...lists(query.productNames, query.locations)].join(' · ');
  }
}

const number = ({ format }: CapacitiesQuery): string[] => (format === 'number' ? ['number'] : []);

const wanted = ({ gpus, format }: PlacementQuery): string[] => [
  ...(gpus ? [`${gpus} GPUs`] : []),
  ...(format && format !== 'table' ? [format] : []),
];

const lists = (...chosen: Array<string[] | undefined>): string[] =>
  chosen.filter((list) => list?.length).map((list) => list!.join(', '));
