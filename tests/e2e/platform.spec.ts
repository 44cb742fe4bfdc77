import { expect, test } from '@grafana/plugin-e2e';
import { TABLE, withTable } from './fineTuning';
import { GPU_CLOUD, pick } from './gpucloud';

const PRODUCT = /^[abhl]\d+s?\.\d+x$/;

test.describe('Main API', () => {
  test('is a table in a panel, whose path takes the project of the settings', async ({
    gotoDashboardPage,
    request,
  }) => {
    const query = { queryType: 'platform', path: '/v1/projects/{projectId}/quotas' };
    await withTable(request, query, async (dashboard) => {
      const panel = (await gotoDashboardPage(dashboard)).getPanelByTitle(TABLE);
      await expect(panel.locator.getByRole('columnheader', { name: 'limit' })).toBeVisible();
    });
  });

  test('a variable lists products, and a member of a list', async ({ page, variableEditPage }) => {
    await variableEditPage.setVariableType('Query');
    await variableEditPage.datasource.set(GPU_CLOUD.name);
    await pick(page, 'Main API');
    await variableEditPage.runQuery();
    await expect(variableEditPage).toDisplayPreviews([PRODUCT]);

    await pick(page, 'API list');
    await page.getByRole('combobox', { name: 'Ready-made list' }).click();
    await page.getByRole('option', { name: /^VM instances/ }).click();
    await variableEditPage.runQuery();
    await expect(variableEditPage).toDisplayPreviews([/gpu-node-\d{4}|^vm-/]);
  });
});
