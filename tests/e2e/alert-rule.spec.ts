import { expect, test } from '@grafana/plugin-e2e';
import type { APIRequestContext } from '@playwright/test';
import { GPU_CLOUD, nodes, typePromQL, UTILISATION_BY_NODE } from './gpucloud';

test.describe('Alert rule', () => {
  test('evaluates a PromQL query, a state for each node', async ({ alertRuleEditPage, page, request }) => {
    const [instance] = await nodes(request);
    await alertRuleEditPage.alertRuleNameField.fill('GPU utilisation');
    await alertRuleEditPage.enableAdvancedQueryMode();

    const query = await alertRuleEditPage.getQueryRow('A');
    await query.datasource.set(GPU_CLOUD.name);
    await typePromQL(page, query.locator, UTILISATION_BY_NODE);

    await expect(alertRuleEditPage.evaluate()).toBeOK();
    await expect(page.getByText(instance).first()).toBeVisible();
  });

  test('reports a query that cannot be evaluated', async ({ alertRuleEditPage, page }) => {
    await alertRuleEditPage.enableAdvancedQueryMode();

    const query = await alertRuleEditPage.getQueryRow('A');
    await query.datasource.set(GPU_CLOUD.name);
    await typePromQL(page, query.locator, 'rate(DCGM_FI_DEV_GPU_UTIL)');

    await expect(alertRuleEditPage.evaluate()).not.toBeOK();
  });

  test('fires for the nodes above a threshold, and names them', async ({ request }) => {
    const instances = await nodes(request);
    const folder = `gpucloud-e2e-${Date.now()}`;
    expect((await request.post('/api/folders', { data: { uid: folder, title: folder } })).status()).toBe(200);

    try {
      const group = await request.put(`/api/v1/provisioning/folder/${folder}/rule-groups/utilisation`, {
        data: { title: 'utilisation', folderUid: folder, interval: 10, rules: [utilisationRule(folder)] },
      });
      expect(group.status(), await group.text()).toBe(200);

      await expect
        .poll(() => firing(request, folder), { message: 'nodes with an alert', timeout: 35_000, intervals: [2000] })
        .toEqual(instances);
    } finally {
      await request.delete(`/api/folders/${folder}?forceDeleteRules=true`);
    }
  });
});

/** Fires for every node, because none has a utilisation below zero. */
function utilisationRule(folder: string) {
  return {
    title: 'GPU utilisation',
    folderUID: folder,
    ruleGroup: 'utilisation',
    orgID: 1,
    for: '0s',
    noDataState: 'NoData',
    execErrState: 'Error',
    condition: 'B',
    data: [
      {
        refId: 'A',
        datasourceUid: GPU_CLOUD.uid,
        relativeTimeRange: { from: 600, to: 0 },
        model: { refId: 'A', expr: UTILISATION_BY_NODE, instant: true, range: false },
      },
      {
        refId: 'B',
        datasourceUid: '__expr__',
        model: {
          refId: 'B',
          type: 'threshold',
          expression: 'A',
          conditions: [{ evaluator: { type: 'gt', params: [-1] } }],
        },
      },
    ],
  };
}

/** Nodes for which the folder's rules fire now, sorted. */
async function firing(request: APIRequestContext, folder: string): Promise<string[]> {
  const response = await request.get(`/api/prometheus/grafana/api/v1/rules?folder_uid=${folder}`);
  const { data } = (await response.json()) as { data: { groups: RuleGroup[] } };
  const alerts = data.groups.flatMap((group) => group.rules.flatMap((rule) => rule.alerts ?? []));
  return alerts
    .filter((alert) => alert.state === 'Alerting')
    .map((alert) => alert.labels.instance)
    .sort();
}

interface RuleGroup {
  rules: Array<{ alerts?: Array<{ state: string; labels: Record<string, string> }> }>;
}
