import { CoreApp, getDefaultTimeRange, type DataQueryRequest } from '@grafana/data';
import { cachedList } from '../cachedList';
import { queryFrames, type QueryRunner } from '../queryFrames';
import type { GpuCloudQuery } from '../types';
import { columnOf } from './columnOf';
import type { PlacementQuery } from './query';

/** The GPU types that are offered or owned, and where, by a query for any place. A failure rejects with a sentence for the user. */
export class PlacementLists {
  readonly types: () => Promise<string[]>;
  readonly locations: () => Promise<string[]>;

  constructor(dataSource: QueryRunner) {
    const frames = cachedList(() => queryFrames(dataSource, ANYWHERE));
    this.types = async () => columnOf(await frames(), 'type').sort();
    this.locations = async () => columnOf(await frames(), 'location').sort();
  }
}

const ALL: PlacementQuery = { refId: 'placement', queryType: 'placement', gpus: 1 };

const ANYWHERE: DataQueryRequest<GpuCloudQuery> = {
  app: CoreApp.Unknown,
  requestId: 'gpucloud-placement',
  interval: '1m',
  intervalMs: 60_000,
  // Places are those of now in every range.
  range: getDefaultTimeRange(),
  scopedVars: {},
  startTime: 0,
  targets: [ALL],
  timezone: 'browser',
};
