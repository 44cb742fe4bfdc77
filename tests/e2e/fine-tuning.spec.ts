import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD } from './gpucloud';

test.describe('Fine-tuning', () => {
  test('events are logs in Explore', async ({ explorePage, page }) => {
    const datasource = { uid: GPU_CLOUD.uid, type: GPU_CLOUD.type };
    const pane = {
      datasource: GPU_CLOUD.uid,
      queries: [{ refId: 'A', datasource, queryType: 'fineTuningJobs' }],
      range: { from: 'now-7d', to: 'now' },
    };
    await explorePage.goto({
      queryParams: new URLSearchParams({ schemaVersion: '1', panes: JSON.stringify({ e2e: pane }) }),
    });
    await page.getByRole('radio', { name: 'Events' }).check({ force: true });

    await expect(page.getByText(/Fine-tuning job (succeeded|failed)|Step \d+\/\d+/).first()).toBeVisible();
    await expect(page.getByText('Logs volume')).toBeVisible();
  });

  test('annotations are listed before they are drawn', async ({ annotationEditPage, page }) => {
    await annotationEditPage.datasource.set(GPU_CLOUD.name);

    await expect(page.getByRole('radio', { name: 'Fine-tuning' })).toBeChecked();
    await expect(page.getByText(/^[1-9]\d* events? would be drawn/)).toBeVisible();
    const drawn = page.getByRole('list', { name: 'What would be drawn' });
    await expect(drawn.getByText(/^Checkpoint at step/).first()).toBeVisible();

    await expect(annotationEditPage.runQuery()).toBeOK();
    await expect(page.getByText(/[1-9]\d* events? \(from/i)).toBeVisible();
  });
});
