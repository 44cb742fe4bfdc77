import { expect, test } from '@grafana/plugin-e2e';
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
});
