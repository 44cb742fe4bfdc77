import { CoreApp, getDefaultTimeRange, type DataQueryRequest } from '@grafana/data';
import { cachedList } from '../cachedList';
import type { GpuCloudQuery } from '../types';
import { columnOf } from './columnOf';
import type { CapacitiesQuery } from './query';
import { queryFrames, type QueryRunner } from '../queryFrames';

/** The products on offer and where, by a query for all capacities. A failure rejects with a sentence for the user. */
export class CapacityLists {
  readonly products: () => Promise<string[]>;
  readonly locations: () => Promise<string[]>;

  constructor(dataSource: QueryRunner) {
    const frames = cachedList(() => queryFrames(dataSource, EVERYTHING));
    this.products = async () => columnOf(await frames(), 'type').sort();
    this.locations = async () => columnOf(await frames(), 'location').sort();
  }
}

const ALL: CapacitiesQuery = { refId: 'capacities', queryType: 'capacities' };

const EVERYTHING: DataQueryRequest<GpuCloudQuery> = {
  app: CoreApp.Unknown,
  requestId: 'gpucloud-capacities',
  interval: '1m',
  intervalMs: 60_000,
  // Capacities are of now in every range.
  range: getDefaultTimeRange(),
  scopedVars: {},
  startTime: 0,
  targets: [ALL],
  timezone: 'browser',
};
