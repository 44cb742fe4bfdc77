import { expect, test } from '@grafana/plugin-e2e';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { resource } from './gpucloud';

const FILE = join(__dirname, '../../provisioning/notifications/notifications.yaml');

/** What Grafana makes of templates, by their names. */
interface Rendered {
  results?: Array<{ name: string; text: string }>;
  errors?: unknown[];
}

// tests/alerts has the texts and the policy. Whether Grafana executes the templates, and where it leads from a message, it alone says.
test('a notification is made of the templates, and leads to the panel of the node', async ({ page, request }) => {
  const { data: nodes } = (await (await request.get(resource('api/v1/label/vm_name/values'))).json()) as {
    data: string[];
  };
  const rule = (await (await request.get('/api/v1/provisioning/alert-rules/gpucloud-gpu-hot')).json()) as {
    annotations: Record<string, string>;
  };
  const [, number] = /viewPanel=(panel-\d+)/.exec(rule.annotations.panel)!;
  const panel = `/d/gpucloud-node?from=now-3h&to=now&var-node=${nodes[0]}&viewPanel=${number}`;
  const [{ template }] = (parse(readFileSync(FILE, 'utf8')) as { templates: Array<{ template: string }> }).templates;
  const startsAt = new Date(Date.now() - 600_000).toISOString();

  const response = await request.post('/api/alertmanager/grafana/config/api/v1/templates/test', {
    data: {
      name: 'gpucloud',
      template,
      alerts: [
        {
          labels: { alertname: 'GPU hot', vm_name: nodes[0] },
          annotations: { description: '8 GPUs are hot.', action: 'Move it.', panel },
          startsAt,
        },
      ],
    },
  });

  const { results = [], errors } = (await response.json()) as Rendered;
  expect(errors ?? []).toEqual([]);
  const text = (name: string) => results.find((result) => result.name === name)?.text ?? '';
  expect(text('gpucloud.title')).toBe(`[FIRING] GPU hot on ${nodes[0]}: 1 alert`);
  const since = startsAt.slice(0, 16).replace('T', ' ');
  expect(text('gpucloud.message')).toContain(`8 GPUs are hot.\nFiring since: ${since} UTC\nDo this: Move it.\nPanel: `);
  const link = /^Panel: (.+)$/m.exec(text('gpucloud.message'))![1];
  expect(link).toContain(`?from=${Math.floor(Date.parse(startsAt) / 1000) - 3600}`);

  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Power, means, and highest heat' }).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: 'SM clock, means' }), 'other panels').toHaveCount(0);
});
