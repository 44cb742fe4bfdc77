import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD, nodes, runPromQL, UTILISATION_BY_NODE } from './gpucloud';

test.describe('Explore', () => {
  test('draws a graph and lists a table of the current values', async ({ explorePage, page, request }) => {
    const [instance] = await nodes(request);
    await explorePage.datasource.set(GPU_CLOUD.name);
    const answer = await runPromQL(page, explorePage.getQueryEditorRow('A'), UTILISATION_BY_NODE);

    expect(answer.status()).toBe(200);
    await expect(explorePage.timeSeriesPanel.locator).toBeVisible();
    await expect(explorePage.timeSeriesPanel.locator.getByText(instance)).toBeVisible();
    await expect(explorePage.tablePanel.locator.getByText(instance).first()).toBeVisible();
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
