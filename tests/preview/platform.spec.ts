import { type Page } from '@playwright/test';
import { expect, isolatedTest, test } from './fixtures';

test.describe('Main API', () => {
  test('shows numbers that are named by product and location', async ({ page }) => {
    await openPlatform(page);
    const row = page.getByRole('grid').getByRole('row').nth(1);
    const [type, location, quantity] = await row.getByRole('gridcell').allInnerTexts();

    await pick(page, 'Number');

    await expect(page.getByRole('heading', { name: 'Numbers' })).toBeVisible();
    await expect(page.getByRole('listitem').filter({ hasText: `${type} · ${location}: ${quantity}` })).toBeVisible();
    await expect(page.getByRole('grid')).toHaveCount(0);
  });

  test('fills in a ready-made list and shows its items', async ({ page }) => {
    await openPlatform(page);
    await pick(page, 'API list');
    await choose(page, 'Ready-made list', /^VM instances/);

    await expect(page.getByLabel('Path')).toHaveValue('/v1/projects/{projectId}/compute/vms/instances');
    await page.getByRole('button', { name: /^Options/ }).press('Enter');
    await expect(page.getByLabel('Root')).toHaveValue('items');
    await expect(page.getByRole('group', { name: /^column / })).toHaveCount(8);
    const table = page.getByRole('grid');
    await expect(table.getByRole('columnheader', { name: 'cluster_id' })).toBeVisible();
    await expect(table.getByRole('gridcell', { name: /^gpu-node-\d{4}$/ }).first()).toBeVisible();
  });

  isolatedTest('has a line of its own when settings are saved', { tag: '@smoke' }, async ({ page }) => {
    await page.goto('/#/config');
    await page.getByRole('button', { name: 'Save & test' }).click();
    const result = page.getByTestId('data-testid Alert success').filter({ hasText: 'Connected:' });
    await expect(result).toContainText('Connected: Metrics, Fine-tuning, Main API.');
    const lines = page.getByRole('list', { name: 'Test of the connection' }).getByRole('listitem');
    await expect(lines).toHaveText([
      /^✓Metrics: a range query took \d+ ms\.$/,
      /^✓Fine-tuning: .* took \d+ ms\.$/,
      /^✓Main API: a signed request took \d+ ms\.$/,
    ]);
  });
});

/** Opens the query page with the result of all capacities. */
async function openPlatform(page: Page) {
  await page.goto('/#/query');
  await pick(page, 'Main API');
  await expect(page.getByRole('gridcell').first()).toBeVisible();
}

/** Chooses by keyboard: a tooltip of the row above may hide an option from the mouse. */
async function pick(page: Page, option: string) {
  await page.getByRole('radio', { name: option }).press('Space');
}

async function choose(page: Page, field: string, option: RegExp) {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option }).click();
}
