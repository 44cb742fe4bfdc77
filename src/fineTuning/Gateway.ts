import type { DataSourceWithBackend } from '@grafana/runtime';
import { cachedList } from '../cachedList';
import type { GpuCloudOptions, GpuCloudQuery } from '../types';

/** A job as the backend offers it to editors. */
export interface JobChoice {
  id: string;
  /** What people call it: its suffix or the model it made, or its id if it has neither. */
  name: string;
  model: string;
  status: string;
}

/** A model, and how many jobs were started from it. */
export interface ModelChoice {
  id: string;
  jobs: number;
}

/** A status, and how many jobs have it now. */
export interface StatusChoice {
  status: string;
  /** One of Grafana's named colors. */
  color: string;
  jobs: number;
}

/** What the tuning gateway has, by the backend's resources. A list that fails rejects with a sentence for the user. */
export class Gateway {
  readonly jobs: () => Promise<JobChoice[]>;
  readonly models: () => Promise<ModelChoice[]>;
  readonly statuses: () => Promise<StatusChoice[]>;

  constructor(backend: Pick<DataSourceWithBackend<GpuCloudQuery, GpuCloudOptions>, 'getResource'>) {
    // Grafana would otherwise show a failure as a pop-up, for every field once.
    const fetch = (path: string) => backend.getResource(path, undefined, { showErrorAlert: false });
    this.jobs = cachedList(() => fetch('jobs'));
    this.models = cachedList(() => fetch('models'));
    this.statuses = cachedList(() => fetch('statuses'));
  }
}
