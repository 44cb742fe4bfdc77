import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD } from './gpucloud';

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
});
