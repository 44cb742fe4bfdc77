import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD, typePromQL } from './gpucloud';

test.describe('Annotation', () => {
  test('marks the times at which a PromQL query has a result', async ({ annotationEditPage, page }) => {
    await annotationEditPage.datasource.set(GPU_CLOUD.name);
    await page.getByRole('radio', { name: 'PromQL' }).check({ force: true });
    await typePromQL(page, page, 'max(DCGM_FI_DEV_GPU_UTIL) > 0');

    await expect(annotationEditPage.runQuery()).toBeOK();
    await expect(page.getByText(/[1-9]\d* events? \(from/i)).toBeVisible();
  });
});
