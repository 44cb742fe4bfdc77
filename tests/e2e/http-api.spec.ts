import { expect, test } from '@grafana/plugin-e2e';
import type { APIRequestContext } from '@playwright/test';
import { GPU_CLOUD, resource } from './gpucloud';

// Grafana's own Prometheus data source that reads this one's HTTP API, for features that want the type `prometheus`.
test.describe('HTTP API', () => {
  test('gives Grafana’s own Prometheus data source the same results', async ({ request, baseURL }) => {
    const uid = `prometheus-${Date.now()}`;
    const created = await request.post('/api/datasources', {
      data: {
        name: uid,
        uid,
        type: 'prometheus',
        access: 'proxy',
        url: new URL(resource(''), baseURL).href,
        basicAuth: true,
        basicAuthUser: 'admin',
        secureJsonData: { basicAuthPassword: 'admin' },
      },
    });
    expect(created.status()).toBe(200);
    try {
      const health = await request.get(`/api/datasources/uid/${uid}/health`);
      expect(await health.json()).toMatchObject({ status: 'OK' });
      for (const expr of [
        'DCGM_FI_DEV_GPU_UTIL',
        'sum by (instance) (rate(DCGM_FI_DEV_POWER_VIOLATION[5m]))',
        '1 + 1',
      ]) {
        for (const kind of ['range', 'instant']) {
          const [theirs, ours] = await Promise.all([uid, GPU_CLOUD.uid].map((one) => series(request, one, expr, kind)));
          expect(Object.keys(ours)).not.toHaveLength(0);
          expect(theirs, `${kind} of ${expr}`).toEqual(ours);
        }
      }
      const labels = await request.get(`/api/datasources/uid/${uid}/resources/api/v1/label/gpu/values`);
      expect(await labels.json()).toMatchObject({ status: 'success', data: expect.arrayContaining(['0', '7']) });
    } finally {
      await request.delete(`/api/datasources/uid/${uid}`);
    }
  });
});

interface Frame {
  schema: { fields: Array<{ labels?: Record<string, string> }> };
  data: { values: [times: number[], values: number[]] };
}

/** The samples of a query over an hour that ended ten minutes ago, by the labels of their series. */
async function series(request: APIRequestContext, uid: string, expr: string, kind: string) {
  const end = Math.floor(Date.now() / 600_000 - 1) * 600_000;
  const response = await request.post('/api/ds/query', {
    data: {
      from: String(end - 3_600_000),
      to: String(end),
      queries: [{ refId: 'A', datasource: { uid }, expr, [kind]: true, intervalMs: 60_000, maxDataPoints: 60 }],
    },
  });
  const { results } = (await response.json()) as { results: { A: { frames: Frame[] } } };
  return Object.fromEntries(
    results.A.frames.map(({ schema, data }) => [
      JSON.stringify(Object.entries(schema.fields[1].labels ?? {}).sort()),
      data.values,
    ])
  );
}
