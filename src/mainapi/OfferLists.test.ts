import { of } from 'rxjs';
import { createDataFrame, type DataQueryRequest } from '@grafana/data';
import type { GpuCloudQuery } from '../types';
import { OfferLists } from './OfferLists';

const capacities = { refId: 'capacities', queryType: 'capacities' } as const;
const offered = createDataFrame({
  fields: [
    { name: 'type', values: ['h100.1x', 'a100.1x', 'a100.1x', null] },
    { name: 'location', values: ['x', 'y', 'x', ''] },
  ],
});

/** A data source that notes the ids of requests. */
const noting = (uid: string, ids: string[]) => ({
  uid,
  query: ({ requestId }: DataQueryRequest<GpuCloudQuery>) => {
    ids.push(requestId);
    return of({ data: [offered] });
  },
});

it('sends one request, whose id no other data source or type has: Grafana cancels one when another comes with its id', async () => {
  const ids: string[] = [];
  const placement = { refId: 'placement', queryType: 'placement', gpus: 1 } as const;
  for (const lists of [
    new OfferLists(noting('a', ids), capacities),
    new OfferLists(noting('b', ids), capacities),
    new OfferLists(noting('a', ids), placement),
  ]) {
    await expect(lists.types()).resolves.toEqual(['a100.1x', 'h100.1x']);
    await expect(lists.locations()).resolves.toEqual(['x', 'y']);
  }

  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(3);
});
