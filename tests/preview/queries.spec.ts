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

test('Main API: numbers are named by product and location', async ({ page }) => {
  await openCapacities(page);
  const row = page.getByRole('grid').getByRole('row').nth(1);
  const [type, location, quantity] = await row.getByRole('gridcell').allInnerTexts();

  await choose(page, 'Number');

  await expect(page.getByRole('heading', { name: 'Numbers' })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: `${type} · ${location}: ${quantity}` })).toBeVisible();
  await expect(page.getByRole('grid')).toHaveCount(0);
});

test('Main API: a ready-made list is filled in and shows its items', async ({ page }) => {
  await openCapacities(page);
  await choose(page, 'API list');
  await page.getByRole('combobox', { name: 'Ready-made list' }).click();
  await page.getByRole('option', { name: /^VM instances/ }).click();

  await expect(page.getByLabel('Path')).toHaveValue('/v1/projects/{projectId}/compute/vms/instances');
  await page.getByRole('button', { name: /^Options/ }).press('Enter');
  await expect(page.getByLabel('Root')).toHaveValue('items');
  await expect(page.getByRole('group', { name: /^column / })).toHaveCount(8);
  const table = page.getByRole('grid');
  await expect(table.getByRole('columnheader', { name: 'cluster_id' })).toBeVisible();
  await expect(table.getByRole('gridcell', { name: /^gpu-node-\d{4}$/ }).first()).toBeVisible();
});

/** The names of the curves, in the legend. */
const curves = (page: Page) => page.getByTestId(/^data-testid VizLegend series/);

/** The editor with the runs of the simulated fine-tuning jobs. */
async function openRuns(page: Page) {
  await page.goto('/#/query');
  await choose(page, 'Runs');
  await expect(curves(page).first()).toBeVisible();
}

/** Opens the query page with the result of all capacities. */
async function openCapacities(page: Page) {
  await page.goto('/#/query');
  await choose(page, 'Main API');
  await expect(page.getByRole('gridcell').first()).toBeVisible();
}
