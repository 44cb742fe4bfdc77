import { expect, test } from '@grafana/plugin-e2e';
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
});
