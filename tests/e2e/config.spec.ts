import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD } from './gpucloud';

test.describe('Data source settings', () => {
  test('answer Save & test with what was asked, where the credential is right', async ({
    gotoDataSourceConfigPage,
    page,
  }) => {
    const settings = await gotoDataSourceConfigPage(GPU_CLOUD.uid);

    await expect(page.getByLabel('Base address')).not.toHaveValue('');
    await expect(page.getByLabel('Project id')).not.toHaveValue('');
    await expect(page.getByLabel('Monitoring token')).toHaveValue('configured');

    await expect(settings.saveAndTest()).toBeOK();
    await expect(settings).toHaveAlert('success', { hasText: /metrics/i });
  });

  test('name the credential that the platform refused, and keep what was typed', async ({
    createDataSourceConfigPage,
    grafanaAPIClient,
    page,
  }) => {
    const provisioned = await grafanaAPIClient.getDataSourceSettingsByUID(GPU_CLOUD.uid);
    const { baseUrl, projectId } = provisioned.jsonData as { baseUrl: string; projectId: string };

    const settings = await createDataSourceConfigPage({ type: GPU_CLOUD.type });
    await page.getByLabel('Base address').fill(baseUrl);
    await page.getByLabel('Project id').fill(String(projectId));
    await page.getByLabel('Monitoring token').fill('not-the-token');

    await expect(settings.saveAndTest()).not.toBeOK();
    await expect(settings).toHaveAlert('error', { hasText: /monitoring token/i });
    await expect(settings).not.toHaveAlert('error', { hasText: 'not-the-token', timeout: 1000 });
    await expect(page.getByLabel('Base address')).toHaveValue(baseUrl);
    await expect(page.getByLabel('Project id')).toHaveValue(String(projectId));
  });

  test('show what is wrong with an address beside it, before anything is saved', async ({
    createDataSourceConfigPage,
    page,
  }) => {
    await createDataSourceConfigPage({ type: GPU_CLOUD.type });

    await page.getByLabel('Base address').fill('api.example.com');
    await expect(page.getByRole('alert').filter({ hasText: 'https://' })).toBeVisible();

    await page.getByLabel('Base address').fill('https://api.example.com');
    await expect(page.getByRole('alert').filter({ hasText: 'https://' })).toHaveCount(0);
  });
});
