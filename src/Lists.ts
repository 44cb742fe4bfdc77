import { memoize, uniqueId } from 'lodash';
import { lastValueFrom, map } from 'rxjs';
import { DataFrameView, type DataFrame } from '@grafana/data';
import type { DataSourceWithBackend } from '@grafana/runtime';
import { framesOf, requestOf } from './queryFrames';
import { errorMessage } from './responseErrors';
import type { GpuCloudOptions, GpuCloudQuery } from './types';

/** A job, and what people call it: its suffix or the model it made, or its id if it has neither. */
interface JobChoice {
  id: string;
  name: string;
  model: string;
  status: string;
}

/** How many jobs there are of a model or a status. */
interface JobCount {
  jobs: number;
}

/** What fields and variables offer, which the backend caches. A list that fails rejects with a sentence for the user. */
export class Lists {
  constructor(
    private readonly backend: Pick<DataSourceWithBackend<GpuCloudQuery, GpuCloudOptions>, 'getResource' | 'query'>
  ) {}

  jobs = (): Promise<JobChoice[]> => this.resource('jobs');
  models = (): Promise<Array<JobCount & { id: string }>> => this.resource('models');
  statuses = (): Promise<Array<JobCount & { status: string }>> => this.resource('statuses');

  private resource(path: string) {
    // Grafana would otherwise show a failure as a pop-up, for every field once.
    return this.backend.getResource(path, undefined, { showErrorAlert: false }).catch((error: unknown) => {
      throw new Error(errorMessage(error));
    });
  }

  /** The frames of a query, which fields that are loaded together share: that of placement takes a while. */
  private readonly frames = memoize(async (query: GpuCloudQuery): Promise<DataFrame[]> =>
    lastValueFrom(this.backend.query(requestOf(uniqueId('gpucloud-list-'), query)).pipe(map(framesOf))).finally(() =>
      this.frames.cache.delete(query)
    )
  );

  /** What a column of a query's result has, which is of now in every range. */
  async column(query: GpuCloudQuery, name: string): Promise<string[]> {
    const rows = (await this.frames(query)).flatMap((frame) => new DataFrameView<Row>(frame).toArray());
    return [...new Set(rows.map((row) => String(row[name] ?? '')).filter(Boolean))].sort();
  }
}

type Row = Record<string, unknown>;
