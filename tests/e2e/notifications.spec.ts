import { expect, test } from '@grafana/plugin-e2e';
import type { APIRequestContext } from '@playwright/test';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { nodes } from './gpucloud';

// The contact points, policy and message that docs/alerting.md offers to copy, with a webhook receiver of the test in
// place of the addresses, for copies of provisioned rules in a folder of its own.
test.describe('Notifications', () => {
  test('say what is the case where, since when, what to do, and lead to the panel of the node', async ({
    page,
    request,
  }) => {
    test.setTimeout(120_000);
    const [node] = await nodeNames(request);
    const received: Notification[] = [];
    await withReceiver(received, (url) =>
      withNotifications(request, url, async (folder) => {
        await addRules(request, folder, [
          // Every node has GPUs above 1 °C, and no room more than all of them.
          {
            ...(await ruleOf(request, 'gpucloud-gpu-hot')),
            edit: (expr) => expr.replaceAll('> 83', '> 1').replace(/> 5([)\s]*)$/, '> 100$1'),
          },
          // Of rules that can't be evaluated, this one alone says so.
          { ...(await ruleOf(request, 'gpucloud-platform-unreachable')), edit: () => 'rate(DCGM_FI_DEV_XID_ERRORS)' },
        ]);
        await expect
          .poll(() => received.flatMap(({ alerts }) => alerts).map(({ labels }) => labels.rulename ?? labels.vm_name), {
            message: 'nodes and failed rules in notifications',
            timeout: 60_000,
          })
          .toEqual(expect.arrayContaining([node, 'Platform unreachable']));
      })
    );

    for (const { title, message, alerts } of received) {
      const texts = [title, message, ...alerts.flatMap(({ annotations }) => Object.values(annotations))].join('\n');
      expect(texts).not.toMatch(/\{\{|\}\}|no value|NaN|%!|\de[+-]\d/);
    }

    const hot = notificationOf(received, ({ labels }) => labels.vm_name === node);
    expect(hot.path).toBe('/gpu-cloud');
    expect(hot.title).toMatch(/^\[FIRING\] GPU hot(: \d+ alerts| on .+: 1 alert)$/);
    expect(hot.message).toMatch(
      new RegExp(`^\\d GPUs? of ${node} (is|are) above 83 °C, or 95 °C in memory, on average over 5 minutes\\.$`, 'm')
    );
    expect(hot.message).toMatch(/^Firing since: \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m);
    expect(hot.message).toMatch(/^Do this: Move the job .+\.$/m);
    expect(hot.message).toMatch(/^Runbook: https:.+alert-rules\.md#gpu-hot$/m);

    const onCall = received.filter(({ path }) => path === '/gpu-cloud-on-call');
    const failed = notificationOf(onCall, ({ labels }) => labels.rulename === 'Platform unreachable');
    expect(failed.message).toMatch(/^Platform unreachable: a query that needs no data fails/m);
    expect(failed.message).toMatch(/^Error: .+/m);
    expect(failed.message).toMatch(/^Do this: .+Save & test.+\.$/m);

    const link = hot.message.match(new RegExp(`^Panel: (.+[?&]var-node=${node}&.+)$`, 'm'))?.[1];
    expect(link, 'a link to the panel of the node').toMatch(/from=\d{13}&to=now/);
    await page.goto(link!);
    await expect(page.getByRole('heading', { name: 'Power and heat' }).first()).toBeVisible();
    await expect(page.getByText('GPU 0').first(), 'the lines of its GPUs').toBeVisible();
    await expect(page.getByRole('heading', { name: 'SM clock, means' }), 'other panels').toHaveCount(0);
    const shown = new URL(page.url()).searchParams;
    expect(shown.get('var-node')).toBe(node);
    expect(shown.get('from')).not.toContain('now');
  });
});

interface Alert {
  status: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** What a webhook gets. */
interface Notification {
  path: string;
  title: string;
  message: string;
  alerts: Alert[];
}

function notificationOf(received: Notification[], isIt: (alert: Alert) => boolean): Notification {
  const found = received.find(({ alerts }) => alerts.some(isIt));
  expect(found).toBeDefined();
  return found!;
}

/** Names of nodes as alerts have them. */
async function nodeNames(request: APIRequestContext): Promise<string[]> {
  await nodes(request);
  const response = await request.get('/api/datasources/uid/gpucloud/resources/api/v1/label/vm_name/values', {
    params: { 'match[]': 'DCGM_FI_DEV_GPU_TEMP' },
  });
  return ((await response.json()) as { data: string[] }).data;
}

/** Runs something while an HTTP server collects what is posted to it. */
async function withReceiver(received: Notification[], run: (url: string) => Promise<void>) {
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += chunk));
    req.on('end', () => {
      received.push({ ...(JSON.parse(body) as Notification), path: req.url ?? '' });
      res.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

interface Settings {
  subject?: string;
  title?: string;
  message: string;
}

interface Provisioning {
  contactPoints: Array<{ name: string; receivers: Array<{ settings: Settings }> }>;
  policies: Array<{ routes: Array<{ receiver: string; object_matchers: string[][] }> }>;
  templates: Array<{ name: string; template: string }>;
}

const file = join(__dirname, '../../provisioning/notifications/notifications.yaml');

/** So that it can be changed and deleted again. */
const EDITABLE = { 'X-Disable-Provenance': 'true' };

/** Runs something with what the file provisions, for alerts of a folder only, and posted to an address. */
async function withNotifications(request: APIRequestContext, url: string, run: (folder: string) => Promise<void>) {
  const suffix = `e2e-${randomUUID().slice(0, 8)}`;
  const folder = `gpucloud-${suffix}`;
  const offered = parse(readFileSync(file, 'utf8')) as Provisioning;
  const named = (name: string) => `${name} ${suffix}`;
  const contactPoints: string[] = [];
  const policies = await (await request.get('/api/v1/provisioning/policies')).json();
  await ok(request.post('/api/folders', { data: { uid: folder, title: folder } }));
  try {
    for (const { template } of offered.templates) {
      await ok(
        request.put(`/api/v1/provisioning/templates/${folder}`, { data: { name: folder, template }, headers: EDITABLE })
      );
    }
    for (const { name, receivers } of offered.contactPoints) {
      const { title, subject, message } = receivers[0].settings;
      const settings = { url: `${url}/${name.toLowerCase().replaceAll(' ', '-')}`, title: title ?? subject, message };
      const made = await ok(
        request.post('/api/v1/provisioning/contact-points', {
          data: { name: named(name), type: 'webhook', settings },
          headers: EDITABLE,
        })
      );
      contactPoints.push(((await made.json()) as { uid: string }).uid);
    }
    const routes = offered.policies[0].routes.map((route) => ({
      ...route,
      receiver: named(route.receiver),
      object_matchers: route.object_matchers.map((matcher) =>
        matcher[0] === 'grafana_folder' ? ['grafana_folder', '=', folder] : matcher
      ),
      group_wait: '1s',
      group_interval: '5s',
    }));
    await putPolicies(request, { ...policies, routes: [...routes, ...(policies.routes ?? [])] });
    await run(folder);
  } finally {
    await putPolicies(request, policies);
    for (const uid of contactPoints) {
      await request.delete(`/api/v1/provisioning/contact-points/${uid}`, { headers: EDITABLE });
    }
    await request.delete(`/api/folders/${folder}?forceDeleteRules=true`);
    await request.delete(`/api/v1/provisioning/templates/${folder}`, { headers: EDITABLE });
  }
}

const putPolicies = (request: APIRequestContext, policies: object) =>
  ok(request.put('/api/v1/provisioning/policies', { data: { ...policies, provenance: '' }, headers: EDITABLE }));

interface Rule {
  title: string;
  data: Array<{ refId: string; model: { expr?: string } }>;
  edit: (expr: string) => string;
}

const ruleOf = async (request: APIRequestContext, uid: string): Promise<Omit<Rule, 'edit'>> =>
  (await ok(request.get(`/api/v1/provisioning/alert-rules/${uid}`))).json();

/** Adds copies of rules, with their PromQL edited, that fire as soon as they can. */
async function addRules(request: APIRequestContext, folderUID: string, rules: Rule[]) {
  const copies = rules.map(({ edit, ...rule }) => ({
    ...rule,
    uid: '',
    id: undefined,
    folderUID,
    ruleGroup: 'e2e',
    for: '0s',
    provenance: '',
    data: rule.data.map((query) =>
      query.model.expr ? { ...query, model: { ...query.model, expr: edit(query.model.expr) } } : query
    ),
  }));
  await ok(
    request.put(`/api/v1/provisioning/folder/${folderUID}/rule-groups/e2e`, {
      data: { title: 'e2e', folderUid: folderUID, interval: 10, rules: copies },
      headers: EDITABLE,
    })
  );
}

async function ok<T extends { ok(): boolean; text(): Promise<string> }>(promised: Promise<T>): Promise<T> {
  const response = await promised;
  expect(response.ok(), await response.text()).toBe(true);
  return response;
}
