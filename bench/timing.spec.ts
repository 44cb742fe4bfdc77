// What a person waits for in a Grafana: the same dashboard on this data source and on Grafana's own Prometheus data source, in turns.
// `npm run bench -- --grafana` prints the medians. Grafana and the simulated platform run on the same machine.
import { expect, test, type Page } from '@playwright/test';

const VISITS = 5;

const SIDES = {
  ours: {
    uid: 'bench-gpucloud',
    type: 'gpucloud-platform-datasource',
    jsonData: { baseUrl: process.env.SIMULATOR_URL, projectId: 'demo-project' },
    secureJsonData: { monitoringToken: 'simulated-monitoring-token' },
  },
  prometheus: {
    uid: 'bench-prometheus',
    type: 'prometheus',
    url: `${process.env.SIMULATOR_URL}/v1/projects/demo-project/metrics/timeseries`,
    jsonData: { httpMethod: 'GET', timeInterval: '60s', httpHeaderName1: 'Authorization' },
    secureJsonData: { httpHeaderValue1: 'Bearer simulated-monitoring-token' },
  },
};

type Side = keyof typeof SIDES;

const PANELS = [
  'DCGM_FI_DEV_GPU_UTIL',
  'DCGM_FI_DEV_POWER_USAGE',
  'DCGM_FI_DEV_GPU_TEMP',
  'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)',
  'sum(DCGM_FI_DEV_POWER_USAGE)',
  'max by (instance) (DCGM_FI_DEV_GPU_TEMP)',
  'avg by (instance) (DCGM_FI_DEV_FB_USED)',
  'quantile(0.95, DCGM_FI_DEV_GPU_UTIL)',
  'count(DCGM_FI_DEV_GPU_UTIL < 5)',
  'sum by (instance) (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))',
  'avg(DCGM_FI_PROF_SM_ACTIVE)',
  'topk(5, DCGM_FI_DEV_GPU_TEMP)',
];

/** The wall display, which fits on a screen: Grafana loads only panels that are seen. */
function dashboard({ uid, type }: (typeof SIDES)[Side]) {
  const panels = PANELS.map((expr, i) => ({
    id: i + 1,
    type: 'timeseries',
    title: expr,
    datasource: { uid, type },
    interval: '60s',
    gridPos: { x: (i % 4) * 6, y: Math.floor(i / 4) * 8, w: 6, h: 8 },
    targets: [{ refId: 'A', datasource: { uid, type }, expr, range: true, editorMode: 'code', legendFormat: '__auto' }],
  }));
  return { uid, title: uid, timezone: 'utc', time: { from: 'now-6h', to: 'now' }, panels };
}

/** Milliseconds from the beginning of the page until every panel shows a chart and none is loading. */
const painted = (page: Page) =>
  page.evaluate(
    (panels) =>
      new Promise<number>((resolve) => {
        const look = () =>
          document.querySelectorAll('.uplot canvas').length >= panels &&
          !document.querySelector('[aria-label="Panel loading bar"]')
            ? requestAnimationFrame(() => resolve(performance.now()))
            : requestAnimationFrame(look);
        look();
      }),
    PANELS.length
  );

const median = (all: number[]) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];

test('a dashboard is drawn, refreshed and edited', async ({ browser, request, baseURL }) => {
  test.setTimeout(15 * 60_000);
  const figures: Record<string, Record<Side, number[]>> = {};
  const note = (name: string, side: Side, value: number) =>
    ((figures[name] ??= { ours: [], prometheus: [] })[side] ??= []).push(value);
  for (const source of Object.values(SIDES)) {
    const made = await request.post('/api/datasources', { data: { name: source.uid, access: 'proxy', ...source } });
    expect(made.ok() || made.status() === 409).toBe(true);
    await request.post('/api/dashboards/db', { data: { dashboard: dashboard(source), overwrite: true } });
  }
  for (let visit = 0; visit < VISITS; visit++) {
    const turns = Object.keys(SIDES) as Side[];
    for (const side of visit % 2 ? turns.reverse() : turns) {
      const { uid } = SIDES[side];
      // Saved anew, it has empty caches.
      const settings = await (await request.get(`/api/datasources/uid/${uid}`)).json();
      await request.put(`/api/datasources/uid/${uid}`, { data: settings });
      const context = await browser.newContext({
        baseURL,
        viewport: { width: 1600, height: 1100 },
        storageState: await request.storageState(),
      });
      const page = await context.newPage();
      let results = 0;
      page.on('requestfinished', async (finished) => {
        results += finished.url().includes('/api/ds/query') ? (await finished.sizes()).responseBodySize : 0;
      });
      await page.goto(`/d/${uid}`, { waitUntil: 'commit' });
      note('first paint, cold, ms', side, await painted(page));
      note('results of it, bytes', side, results);
      await page.goto(`/d/${uid}`, { waitUntil: 'commit' });
      note('first paint, warm, ms', side, await painted(page));

      const refreshed = Array.from(PANELS, () => page.waitForResponse(/\/api\/ds\/query/));
      const start = performance.now();
      await page.getByTestId('data-testid RefreshPicker run button').click();
      await Promise.all(refreshed);
      await painted(page);
      note('refresh, ms', side, performance.now() - start);

      await page.getByRole('heading', { name: PANELS[3], exact: true }).hover();
      const opening = performance.now();
      await page.keyboard.press('e');
      const editor = page.getByTestId('data-testid Query field').locator('.view-line').first();
      await editor.filter({ hasText: 'DCGM_FI_DEV_GPU_UTIL' }).waitFor({ timeout: 60_000 });
      note('query editor opened, ms', side, performance.now() - opening);
      await context.close();
    }
  }
  for (const [name, { ours, prometheus }] of Object.entries(figures)) {
    const [a, b] = [median(ours), median(prometheus)];
    console.log(`${name}: ${Math.round(a)}, Prometheus data source ${Math.round(b)}, ${(a / b).toFixed(2)} ×`);
  }
});
