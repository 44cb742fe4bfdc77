import { expect, test } from '@grafana/plugin-e2e';
import type { APIRequestContext } from '@playwright/test';
import { randomUUID } from 'node:crypto';
import { GPU_CLOUD, pick } from './gpucloud';

test.describe('Alert rule', () => {
  test('evaluates a list of the main API as it is offered', async ({ alertRuleEditPage, page }) => {
    await alertRuleEditPage.enableAdvancedQueryMode();

    const query = await alertRuleEditPage.getQueryRow('A');
    await query.datasource.set(GPU_CLOUD.name);
    await pick(query.locator, 'Main API');
    await pick(query.locator, 'API list');

    await expect(alertRuleEditPage.evaluate()).toBeOK();
    await expect(page.getByText(/must be a wide series/i)).toHaveCount(0);
  });

  test('fires for each location where something is to be had, without a step between', async ({ request }) => {
    await withRule(request, { queryType: 'capacities', format: 'number' }, 0, async (folder) => {
      await expect
        .poll(async () => (await firing(request, folder, 'location')).length, {
          message: 'products and locations with an alert',
          ...PATIENCE,
        })
        .toBeGreaterThan(1);
      const located = await firing(request, folder, 'location');
      expect(new Set(located).size, 'locations').toBeGreaterThan(1);
      expect((await firing(request, folder, 'type')).every(Boolean), 'every alert names its product').toBe(true);
    });
  });
});

const PATIENCE = { timeout: 35_000, intervals: [2000] };

/** Runs something with a rule that fires where a query’s result is above a threshold, in a folder of its own. */
async function withRule(
  request: APIRequestContext,
  query: object,
  threshold: number,
  run: (folder: string) => Promise<void>
) {
  const folder = `gpucloud-e2e-${randomUUID().slice(0, 8)}`;
  expect((await request.post('/api/folders', { data: { uid: folder, title: folder } })).status()).toBe(200);
  try {
    const group = await request.put(`/api/v1/provisioning/folder/${folder}/rule-groups/e2e`, {
      data: { title: 'e2e', folderUid: folder, interval: 10, rules: [rule(folder, query, threshold)] },
    });
    expect(group.status(), await group.text()).toBe(200);
    await run(folder);
  } finally {
    await request.delete(`/api/folders/${folder}?forceDeleteRules=true`);
  }
}

function rule(folder: string, query: object, threshold: number) {
  return {
    title: 'Above the threshold',
    folderUID: folder,
    ruleGroup: 'e2e',
    orgID: 1,
    for: '0s',
    noDataState: 'NoData',
    execErrState: 'Error',
    condition: 'B',
    data: [
      {
        refId: 'A',
        datasourceUid: GPU_CLOUD.uid,
        relativeTimeRange: { from: 900, to: 0 },
        model: { refId: 'A', ...query },
      },
      {
        refId: 'B',
        datasourceUid: '__expr__',
        model: {
          refId: 'B',
          type: 'threshold',
          expression: 'A',
          conditions: [{ evaluator: { type: 'gt', params: [threshold] } }],
        },
      },
    ],
  };
}

/** What a label says in each alert that the folder's rules fire now, sorted. */
async function firing(request: APIRequestContext, folder: string, label: string): Promise<string[]> {
  const response = await request.get(`/api/prometheus/grafana/api/v1/rules?folder_uid=${folder}`);
  const { data } = (await response.json()) as { data: { groups: RuleGroup[] } };
  const alerts = data.groups.flatMap((group) => group.rules.flatMap((rule) => rule.alerts ?? []));
  return alerts
    .filter((alert) => alert.state === 'Alerting')
    .map((alert) => alert.labels[label])
    .sort();
}

interface RuleGroup {
  rules: Array<{ alerts?: Array<{ state: string; labels: Record<string, string> }> }>;
}
