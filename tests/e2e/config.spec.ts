import { expect, test } from '@grafana/plugin-e2e';
import type { Page } from '@playwright/test';
import { GPU_CLOUD } from './gpucloud';

// By the start of their names, because a field's help is part of its name.
const baseAddress = (page: Page) => page.getByRole('textbox', { name: /^Base address/ });
const projectId = (page: Page) => page.getByRole('textbox', { name: /^Project id/ });
const monitoringToken = (page: Page) => page.getByRole('textbox', { name: /^Monitoring token/ });

test.describe('Data source settings', () => {
  test('say of each service whether it works, and drop what is kept for it', async ({
    gotoDataSourceConfigPage,
    page,
  }) => {
    const settings = await gotoDataSourceConfigPage(GPU_CLOUD.uid);
    await expect(settings.saveAndTest()).toBeOK();
    const services = page.getByRole('list', { name: 'Test of the connection' }).getByRole('listitem');
    await expect(services).toHaveText([/^✓Metrics: /, /^✓Fine-tuning: /, /^✓Main API: /]);

    await page.getByLabel('Expand section Advanced').click();
    await page.getByRole('button', { name: 'Refresh the cache' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'The cache is empty.' })).toBeVisible();
  });

  test('name the credential that the platform refused, and keep what was typed', async ({
    createDataSourceConfigPage,
    grafanaAPIClient,
    page,
  }) => {
    const provisioned = await grafanaAPIClient.getDataSourceSettingsByUID(GPU_CLOUD.uid);
    const given = provisioned.jsonData as { baseUrl: string; projectId: string | number };

    const settings = await createDataSourceConfigPage({ type: GPU_CLOUD.type });
    await baseAddress(page).fill(given.baseUrl);
    await projectId(page).fill(String(given.projectId));
    await monitoringToken(page).fill('not-the-token');

    await expect(settings.saveAndTest()).not.toBeOK();
    await expect(settings).toHaveAlert('error', { hasText: /monitoring token/i });
    await expect(settings).not.toHaveAlert('error', { hasText: 'not-the-token', timeout: 1000 });
    await expect(baseAddress(page)).toHaveValue(given.baseUrl);
    await expect(projectId(page)).toHaveValue(String(given.projectId));
  });
});
