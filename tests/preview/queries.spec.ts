import { type Page } from '@playwright/test';
import { choose, expect, test } from './fixtures';

test('Runs: the curves of two runs are drawn as soon as they are chosen', { tag: '@smoke' }, async ({ page }) => {
  await openRuns(page);
  await page.getByRole('combobox', { name: 'Runs' }).click();
  await page.getByRole('option').nth(0).click();
  await page.getByRole('option').nth(1).click();
  await page.keyboard.press('Escape');

  await expect(curves(page)).toHaveCount(2);
});

test('Runs: those of a series are found by its labels', async ({ page, watch }) => {
  // The backend says what the query lacks before it has labels.
  watch.expectErrorFrom(/\/api\/ds\/query/);
  await openRuns(page);
  await choose(page, 'PromQL series');
  await page.getByRole('textbox', { name: 'Series' }).fill('training_loss{metrics_source="custom-metrics"}');
  await page.getByRole('textbox', { name: 'Series' }).press('Enter');
  await page.getByRole('combobox', { name: 'A run for each' }).click();
  await page.getByRole('option', { name: 'pod_name' }).click();
  await page.keyboard.press('Escape');

  await expect(curves(page).first()).toHaveText(/^train-/);
  await page.getByRole('combobox', { name: 'Runs' }).click();
  await expect(page.getByRole('option', { name: /^train-/ }).first()).toBeVisible();
});

/** The names of the curves, in the legend. */
const curves = (page: Page) => page.getByTestId(/^data-testid VizLegend series/);

/** The editor with the runs of the simulated fine-tuning jobs. */
async function openRuns(page: Page) {
  await page.goto('/#/query');
  await choose(page, 'Runs');
  await expect(curves(page).first()).toBeVisible();
}
