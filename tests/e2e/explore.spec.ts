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
});
