import { type Page } from '@playwright/test';
import { expect, legendEntries, test } from './fixtures';

test('a PromQL query typed into the code editor shows its series', { tag: '@smoke' }, async ({ page }) => {
  await page.goto('/#/query');

  await typeQuery(page, 'max by (instance) (DCGM_FI_DEV_GPU_TEMP)');
  await page.getByRole('button', { name: 'Run query' }).click();

  await expect(page.getByRole('heading', { name: 'Graph' })).toBeVisible();
  await expect(legendEntries(page)).toHaveCount(8);
  // Explore queries both a range and an instant: the newest value of each series comes as a row of a table.
  const table = page.getByRole('grid');
  await expect(table.getByRole('columnheader', { name: 'instance' })).toBeVisible();
  await expect(table.getByRole('gridcell', { name: /^gpu-node-\d{4}$/ })).toHaveCount(8);
  await expect(table.getByRole('row', { name: /gpu-node-0001.*\b\d{2}$/ })).toBeVisible();
});

test("a query that is not PromQL shows the engine's message", async ({ page, watch }) => {
  watch.expectErrorFrom(/\/api\/ds\/query/);
  await page.goto('/#/query');

  await typeQuery(page, 'avg by (instance');
  await page.getByRole('button', { name: 'Run query' }).click();

  await expect(page.getByTestId('data-testid Alert error')).toContainText(/parse error/);
});

test("the code editor completes the names of the platform's metrics", async ({ page }) => {
  await page.goto('/#/query');

  await typeQuery(page, 'DCGM_FI_DEV_GPU_U', { keepSuggestions: true });

  await expect(page.getByRole('option', { name: /DCGM_FI_DEV_GPU_UTIL/ })).toBeVisible();
});

test("the builder offers the platform's metrics and explains the query", async ({ page }) => {
  await page.goto('/#/query');

  await page.getByPlaceholder('Select metric').click();
  await page.keyboard.type('GPU_UTIL');
  await page.getByRole('option', { name: /DCGM_FI_DEV_GPU_UTIL/ }).click();
  await page.getByRole('switch', { name: 'Explain' }).check({ force: true });
  await page.getByRole('button', { name: 'Run query' }).click();

  await expect(page.getByText('Fetch all series matching metric name and label filters.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Graph' })).toBeVisible();
});

async function typeQuery(page: Page, expression: string, { keepSuggestions = false } = {}) {
  await page.getByRole('radio', { name: 'Code' }).check({ force: true });
  const editor = page.getByTestId('data-testid ReactMonacoEditor editorLazy');
  await editor.click();
  await page.keyboard.type(expression, { delay: 15 });
  if (!keepSuggestions) {
    await page.keyboard.press('Escape');
  }
}
