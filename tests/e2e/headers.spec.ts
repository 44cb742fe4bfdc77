import { expect, test } from '@grafana/plugin-e2e';
import { CONTROL, GPU_CLOUD, resource, UTILIZATION_BY_NODE } from './gpucloud';

/** Where the simulator's control endpoint lists the headers of the last request. */
const COUNTERS = `${CONTROL}/counters`;

/** Everything that the platform needs to know about a request, and nothing about its user. */
const HEADERS = ['Accept', 'Accept-Encoding', 'Authorization', 'User-Agent'];

/** What a signed request needs besides: the time of its signature. */
const TIMESTAMP = 'X-Vendor-Timestamp';

test.describe('Requests to the platform', () => {
  test('of queries, resources and health checks carry none of Grafana’s headers', async ({ request }) => {
    const query = await request.post('/api/ds/query', {
      headers: { 'X-Dashboard-Uid': 'gpucloud-gpu-overview', 'X-Panel-Id': '1', 'X-Grafana-Org-Id': '1' },
      data: {
        from: 'now-1h',
        to: 'now',
        queries: [{ refId: 'A', datasource: { uid: GPU_CLOUD.uid }, expr: UTILIZATION_BY_NODE, range: true }],
      },
    });
    expect(query.status()).toBe(200);
    expect((await (await request.get(COUNTERS)).json()).lastHeaders).toEqual(HEADERS);

    const labels = await request.get(resource('api/v1/labels'), { headers: { 'X-Grafana-Referer': '/d/secret' } });
    expect(labels.status()).toBe(200);
    expect((await (await request.get(COUNTERS)).json()).lastHeaders).toEqual(HEADERS);

    const health = await request.get(`/api/datasources/uid/${GPU_CLOUD.uid}/health`);
    expect(health.status()).toBe(200);
    const { lastHeaders } = await (await request.get(COUNTERS)).json();
    expect([...new Set([...lastHeaders, TIMESTAMP])]).toEqual([...HEADERS, TIMESTAMP]);
  });
});
