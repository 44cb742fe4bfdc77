import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD, nodes, typePromQL, UTILISATION_BY_NODE } from './gpucloud';

test.describe('Panel', () => {
  test('of the provisioned dashboard draws a line for every node', async ({
    gotoDashboardPage,
    page,
    readProvisionedDashboard,
    request,
  }) => {
    const instances = await nodes(request);
    const dashboard = await readProvisionedDashboard({ fileName: 'gpu-utilisation.json' });
    const dashboardPage = await gotoDashboardPage(dashboard);

    const panel = dashboardPage.getPanelByTitle('GPU utilisation by node');
    await expect(panel.locator).toBeVisible();
    await expect(panel.getErrorIcon()).toHaveCount(0);
    for (const instance of instances) {
      await expect(panel.locator.getByRole('button', { name: instance, exact: true })).toBeVisible();
    }
    await expect(page.getByText('No data')).toHaveCount(0);
  });

  test('shows one row a node for an instant query typed into its editor', async ({ page, panelEditPage, request }) => {
    const instances = await nodes(request);
    await panelEditPage.datasource.set(GPU_CLOUD.name);
    await panelEditPage.setVisualization('Table');

    const query = panelEditPage.getQueryEditorRow('A');
    await typePromQL(page, query, UTILISATION_BY_NODE);
    await query.getByRole('button', { name: /^Options/ }).click();
    await query.getByRole('radio', { name: 'Instant' }).check({ force: true });
    await query.getByLabel('Select format').click();
    await page.getByRole('option', { name: 'Table' }).click();

    await expect(panelEditPage.refreshPanel()).toBeOK();
    await expect(panelEditPage.panel.fieldNames).toContainText(['Time', 'instance', 'Value']);
    await expect(panelEditPage.panel.data).toContainText(instances.slice(0, 1));
  });

  test('shows what is wrong with a query, in the words of the query engine', async ({ page, panelEditPage }) => {
    await panelEditPage.datasource.set(GPU_CLOUD.name);
    await typePromQL(page, panelEditPage.getQueryEditorRow('A'), 'rate(DCGM_FI_DEV_GPU_UTIL)');

    await expect(panelEditPage.refreshPanel()).not.toBeOK();
    await expect(panelEditPage.panel.getErrorIcon()).toBeVisible();
    await expect(page.getByText(/expected type range vector/i).first()).toBeVisible();
  });
});
