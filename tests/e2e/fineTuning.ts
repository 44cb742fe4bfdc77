import { expect, type APIRequestContext } from '@playwright/test';
import type { ExplorePage } from '@grafana/plugin-e2e';
import { GPU_CLOUD, resource } from './gpucloud';

/** A fine-tuning job, as editors and variables list it. */
export interface Job {
  id: string;
  /** Its own name, or its id if it has none. */
  name: string;
  status: string;
}

/** The gateway's jobs, newest first, as the data source lists them. */
export async function jobs(request: APIRequestContext): Promise<Job[]> {
  const response = await request.get(resource('jobs'));
  expect(response.status()).toBe(200);
  const all = (await response.json()) as Job[];
  expect(all.length, 'fine-tuning jobs').toBeGreaterThan(0);
  return all;
}

export async function runningJobs(request: APIRequestContext): Promise<Job[]> {
  const running = (await jobs(request)).filter(({ status }) => status === 'running');
  expect(running.length, 'running fine-tuning jobs').toBeGreaterThan(0);
  return running;
}

/** Opens Explore with a query of the last week, in which there are jobs whenever the tests run. */
export async function exploreLastWeek(explorePage: ExplorePage, query: { queryType: string }) {
  const datasource = { uid: GPU_CLOUD.uid, type: GPU_CLOUD.type };
  const pane = {
    datasource: GPU_CLOUD.uid,
    queries: [{ refId: 'A', datasource, ...query }],
    range: { from: 'now-7d', to: 'now' },
  };
  const queryParams = new URLSearchParams({ schemaVersion: '1', panes: JSON.stringify({ e2e: pane }) });
  await explorePage.goto({ queryParams });
}

/** Title of the panel of {@link withTable}. */
export const TABLE = 'Fine-tuning';

/** Runs something with a dashboard that has one table, of a query’s result over the last week. */
export async function withTable(
  request: APIRequestContext,
  query: { queryType: string },
  run: (dashboard: { uid: string }) => Promise<void>
) {
  const datasource = { uid: GPU_CLOUD.uid, type: GPU_CLOUD.type };
  const panel = {
    id: 1,
    type: 'table',
    title: TABLE,
    gridPos: { x: 0, y: 0, w: 24, h: 16 },
    datasource,
    targets: [{ refId: 'A', datasource, ...query }],
  };
  const saved = await request.post('/api/dashboards/db', {
    data: {
      dashboard: {
        title: `${query.queryType} ${Date.now()}`,
        schemaVersion: 41,
        time: { from: 'now-7d', to: 'now' },
        panels: [panel],
      },
    },
  });
  expect(saved.status(), await saved.text()).toBe(200);
  const { uid } = (await saved.json()) as { uid: string };
  try {
    await run({ uid });
  } finally {
    await request.delete(`/api/dashboards/uid/${uid}`);
  }
}
