import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD, nodes, runPromQL, UTILIZATION_BY_NODE } from './gpucloud';

test.describe('Explore', () => {
  test('draws a line for every node, and lists their current values', async ({ explorePage, page, request }) => {
    const instances = await nodes(request);
    await explorePage.datasource.set(GPU_CLOUD.name);
    const response = await runPromQL(page, explorePage.getQueryEditorRow('A'), UTILIZATION_BY_NODE);

    expect(response.status()).toBe(200);
    await expect(explorePage.timeSeriesPanel.locator).toBeVisible();
    for (const instance of instances) {
      await expect(explorePage.timeSeriesPanel.locator.getByText(instance)).toBeVisible();
    }
    await expect(page.getByText(`Result series: ${instances.length}`)).toBeVisible();
  });

  test('offers the names of the platform’s metrics while typing', async ({ explorePage, page }) => {
    await explorePage.datasource.set(GPU_CLOUD.name);
    const query = explorePage.getQueryEditorRow('A');
    await query.getByRole('radio', { name: 'Code' }).check({ force: true });
    await query.locator('.monaco-editor').click();
    await page.keyboard.type('DCGM_FI_DEV_GPU_U', { delay: 25 });

    await expect(page.getByRole('option', { name: /^DCGM_FI_DEV_GPU_UTIL\b/ })).toBeVisible();
  });
});
