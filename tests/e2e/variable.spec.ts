import { expect, test } from '@grafana/plugin-e2e';
import { selectors } from '@grafana/e2e-selectors';
import { GPU_CLOUD, nodes } from './gpucloud';

const editor = selectors.components.DataSource.Prometheus.variableQueryEditor;

test.describe('Dashboard variable', () => {
  test('lists the values of a label', async ({ page, request, variableEditPage }) => {
    const instances = await nodes(request);
    await variableEditPage.setVariableType('Query');
    await variableEditPage.datasource.set(GPU_CLOUD.name);

    await page.getByLabel('Query type').click();
    await page.getByRole('option', { name: 'Label values' }).click();
    // Every label is offered at once: what is typed before they have arrived would only be taken as a name of one's own.
    await page.getByTestId(editor.labelValues.labelSelect).locator('input').click();
    await page.getByRole('option', { name: 'instance', exact: true }).click();
    await variableEditPage.runQuery();

    await expect(variableEditPage).toDisplayPreviews(instances.slice(0, 3));
  });
});
