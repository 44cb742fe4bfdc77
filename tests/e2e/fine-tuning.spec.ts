import { expect, test } from '@grafana/plugin-e2e';
import { runningJobs, exploreLastWeek, TABLE, withTable } from './fineTuning';
import { GPU_CLOUD } from './gpucloud';

test.describe('Fine-tuning', () => {
  test('jobs are a table in a panel, with their statuses and links', async ({ gotoDashboardPage, page, request }) => {
    const [running] = await runningJobs(request);
    await withTable(request, { queryType: 'fineTuningJobs' }, async (dashboard) => {
      const panel = (await gotoDashboardPage(dashboard)).getPanelByTitle(TABLE);
      const row = panel.locator.getByRole('row').filter({ hasText: running.id });
      await expect(row).toContainText('running');

      // Without an address of the web console the id has one link, and leads there at once.
      await row.getByRole('link', { name: running.id }).click();
      await expect(page).toHaveURL(/\/explore/);
      await expect(page.getByRole('radio', { name: 'Checkpoints' })).toBeChecked();
    });
  });

  test('events are logs in Explore', async ({ explorePage, page }) => {
    await exploreLastWeek(explorePage, { queryType: 'fineTuningJobs' });
    await page.getByRole('radio', { name: 'Events' }).check({ force: true });

    await expect(page.getByText(/Fine-tuning job (succeeded|failed)|Step \d+\/\d+/).first()).toBeVisible();
    await expect(page.getByText('Logs volume')).toBeVisible();
  });

  test('annotations are listed before they are drawn, only those that are chosen', async ({
    annotationEditPage,
    page,
  }) => {
    await annotationEditPage.datasource.set(GPU_CLOUD.name);

    await expect(page.getByRole('radio', { name: 'Fine-tuning' })).toBeChecked();
    await expect(page.getByText(/^[1-9]\d* events? would be drawn/)).toBeVisible();
    const drawn = page.getByRole('list', { name: 'What would be drawn' });
    await expect(drawn.getByText(/^Checkpoint at step/).first()).toBeVisible();

    await page.getByRole('combobox', { name: /^Status/ }).click();
    await page.getByRole('option', { name: /^running/ }).click();
    await page.keyboard.press('Escape');
    await expect(drawn.getByRole('listitem').filter({ hasText: 'running ·' }).first()).toBeVisible();
    await expect(drawn.getByText(/^(succeeded|failed|cancelled) ·/)).toHaveCount(0);

    await expect(annotationEditPage.runQuery()).toBeOK();
    await expect(page.getByText(/[1-9]\d* events? \(from/i)).toBeVisible();
  });
});
