import { cachedList } from '../cachedList';
import { queryFrames, requestOf, type QueryRunner } from '../queryFrames';
import { columnOf } from './columnOf';
import type { CapacitiesQuery, PlacementQuery } from './query';

/** What is offered and where, by the columns of a query's result. A failure rejects with a sentence for the user. */
export class OfferLists {
  readonly types: () => Promise<string[]>;
  readonly locations: () => Promise<string[]>;

  constructor(dataSource: QueryRunner, query: CapacitiesQuery | PlacementQuery) {
    // What is offered is of now in every range.
    const frames = cachedList(() => queryFrames(dataSource, requestOf(`gpucloud-${query.queryType}`, query)));
    this.types = async () => columnOf(await frames(), 'type').sort();
    this.locations = async () => columnOf(await frames(), 'location').sort();
  }
}
