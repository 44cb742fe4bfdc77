import { expect, test } from '@grafana/plugin-e2e';
import type { APIRequestContext, APIResponse } from '@playwright/test';
import { GPU_CLOUD, resource, UTILIZATION_BY_NODE } from './gpucloud';

const ROLES = ['Viewer', 'Editor', 'Admin'] as const;
type Role = (typeof ROLES)[number];

const EVERYBODY: readonly Role[] = ROLES;
const EDITORS: readonly Role[] = ['Editor', 'Admin'];
const NOBODY: readonly Role[] = [];

const DATA_SOURCE = `/api/datasources/uid/${GPU_CLOUD.uid}`;
const ROUTE = `/api/datasources/proxy/uid/${GPU_CLOUD.uid}/tuning/v1`;

/** The parameters of a range query. */
const RANGE = 'query=vector(1)&start=1748862000&end=1748865600&step=60';

/** A request through Grafana, and who is allowed to send it. */
interface AccessCase {
  name: string;
  allowed: readonly Role[];
  /** Sends it; `checkpoint` is the id of one that the gateway has. */
  send: (request: APIRequestContext, checkpoint: string) => Promise<APIResponse>;
}

const query = (model: object) => (request: APIRequestContext) =>
  request.post('/api/ds/query', {
    data: { from: 'now-7d', to: 'now', queries: [{ refId: 'A', datasource: { uid: GPU_CLOUD.uid }, ...model }] },
  });

const get = (path: string) => (request: APIRequestContext) => request.get(path);

const REQUESTS: AccessCase[] = [
  { name: 'a PromQL query', allowed: EVERYBODY, send: query({ expr: UTILIZATION_BY_NODE, instant: true }) },
  { name: 'Save & test', allowed: EVERYBODY, send: get(`${DATA_SOURCE}/health`) },
  { name: 'the names of labels', allowed: EVERYBODY, send: get(resource('api/v1/labels')) },
  { name: 'a range as a Prometheus API', allowed: EVERYBODY, send: get(resource(`api/v1/query_range?${RANGE}`)) },
  {
    name: 'an export of samples',
    allowed: EDITORS,
    send: (request) => {
      const now = Math.floor(Date.now() / 1000);
      return request.get(resource(`export?match[]=DCGM_FI_DEV_GPU_UTIL&start=${now - 600}&end=${now}`));
    },
  },
  {
    name: 'a scrape of samples',
    allowed: EVERYBODY,
    send: get(resource('federate?match[]=DCGM_FI_DEV_GPU_UTIL')),
  },
  {
    name: 'a checkpoint’s archive',
    allowed: EDITORS,
    send: (request, checkpoint) => request.get(resource(`checkpoints/${checkpoint}/content`)),
  },
  { name: 'reading from the gateway', allowed: EDITORS, send: get(`${ROUTE}/fine_tuning/jobs?limit=1`) },
  {
    name: 'writing to the gateway',
    allowed: EDITORS,
    send: (request) =>
      request.post(`${ROUTE}/files`, {
        multipart: {
          purpose: 'fine-tune',
          file: { name: 'train.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from('{"messages": []}\n') },
        },
      }),
  },
  { name: 'deleting from the gateway', allowed: NOBODY, send: (request) => request.delete(`${ROUTE}/files/file-1`) },
  { name: 'another path of the proxy', allowed: NOBODY, send: get(`/api/datasources/proxy/uid/${GPU_CLOUD.uid}/v1/x`) },
  { name: 'another resource', allowed: NOBODY, send: get(resource('api/v1/status/config')) },
  { name: 'settings', allowed: EVERYBODY, send: get(DATA_SOURCE) },
];

/** Runs something with the requests of a service account that has a role, and deletes the account. */
const asRoles = test.extend<{ as: (role: Role) => Promise<APIRequestContext> }>({
  as: async ({ baseURL, playwright, request }, use) => {
    const done: Array<() => Promise<unknown>> = [];
    await use(async (role) => {
      const name = `${role} ${Date.now()}`;
      const account = await request.post('/api/serviceaccounts', { data: { name, role } });
      expect(account.status(), await account.text()).toBe(201);
      const { id } = (await account.json()) as { id: number };
      done.push(() => request.delete(`/api/serviceaccounts/${id}`));
      const token = await request.post(`/api/serviceaccounts/${id}/tokens`, { data: { name } });
      expect(token.status(), await token.text()).toBe(200);
      const { key } = (await token.json()) as { key: string };
      const requests = await playwright.request.newContext({
        baseURL,
        extraHTTPHeaders: { Authorization: `Bearer ${key}` },
        storageState: { cookies: [], origins: [] },
      });
      done.push(() => requests.dispose());
      return requests;
    });
    for (const end of done) {
      await end();
    }
  },
});

test.describe('Roles', () => {
  for (const role of ROLES) {
    asRoles(`${role}s get what docs/security.md says, and nothing else`, async ({ as, request }) => {
      const checkpoint = await aCheckpoint(request);
      const requests = await as(role);

      const got: Record<string, boolean> = {};
      const responses: string[] = [];
      for (const sent of REQUESTS) {
        const response = await sent.send(requests, checkpoint);
        const text = await response.text();
        // A refusal of the gateway's own, an object with a member "error", came through as well.
        got[sent.name] = response.ok() || /^\s*\{\s*"error"/.test(text);
        responses.push(`${sent.name}: ${response.status()} ${text.slice(0, 200)}`);
      }

      const expected = Object.fromEntries(REQUESTS.map(({ name, allowed }) => [name, allowed.includes(role)]));
      expect(got, responses.join('\n')).toEqual(expected);
    });
  }

  test('settings come without a credential', async ({ request }) => {
    const response = await request.get(DATA_SOURCE);
    expect(response.status()).toBe(200);
    const { jsonData, secureJsonFields } = (await response.json()) as Record<string, Record<string, unknown>>;
    expect(secureJsonFields).toEqual({ monitoringToken: true, inferenceApiKey: true, secretKey: true });
    expect(Object.keys(jsonData).filter((name) => name in secureJsonFields)).toEqual([]);
  });
});

/** Id of a checkpoint that the gateway has. */
async function aCheckpoint(request: APIRequestContext): Promise<string> {
  const jobs = (await (await request.get(resource('jobs'))).json()) as Array<{ id: string; status: string }>;
  for (const { id } of jobs.filter(({ status }) => status === 'succeeded')) {
    const response = await request.get(`${ROUTE}/fine_tuning/jobs/${id}/checkpoints?limit=1`);
    const { data } = (await response.json()) as { data: Array<{ id: string }> };
    if (data.length > 0) {
      return data[0].id;
    }
  }
  throw new Error('no job that succeeded has a checkpoint');
}
