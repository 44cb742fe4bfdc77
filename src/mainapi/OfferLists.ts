import { lastValueFrom, map } from 'rxjs';
import { DataFrameView } from '@grafana/data';
import { cachedList } from '../cachedList';
import { framesOf, requestOf, type QueryRunner } from '../queryFrames';
import type { CapacitiesQuery } from '../types/capacities/query';
import type { PlacementQuery } from '../types/placement/query';

/** What is offered and where, by the columns of a query's result. A failure rejects with a sentence for the user. */
export class OfferLists {
  readonly types: () => Promise<string[]>;
  readonly locations: () => Promise<string[]>;

  constructor(dataSource: QueryRunner & { uid: string }, query: CapacitiesQuery | PlacementQuery) {
    // What is offered is of now in every range.
    const frames = cachedList(() =>
      lastValueFrom(
        dataSource.query(requestOf(`gpucloud-${dataSource.uid}-${query.queryType}`, query)).pipe(map(framesOf))
      )
    );
    const column = async (name: string) => {
      const rows = (await frames()).flatMap((frame) => new DataFrameView<Record<string, unknown>>(frame).toArray());
      return [...new Set(rows.map((row) => String(row[name] ?? '')).filter(Boolean))].sort();
    };
    this.types = () => column('type');
    this.locations = () => column('location');
  }
}
