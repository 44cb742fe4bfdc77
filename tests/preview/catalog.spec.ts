import { expect, legendEntries, test } from './fixtures';

test('a query is found in the catalog and run by keyboard alone', async ({ page }) => {
  await page.goto('/#/query');
  const opener = page.getByRole('button', { name: 'Catalog' });
  await expect(opener).toBeVisible();

  await page.getByRole('radio', { name: 'Metrics' }).focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'How to write queries' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(opener).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Search the catalog' })).toBeFocused();
  await page.keyboard.type('utilization by node');
  const found = page.getByRole('button', { name: 'Utilization by node' });
  await expect(found).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(found).toBeFocused();
  await page.keyboard.press('Enter');

  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(legendEntries(page)).toHaveCount(8);
});

test('the catalog says what is here, and closes by Escape', async ({ page }) => {
  await page.goto('/#/query');
  await page.getByRole('button', { name: 'Catalog' }).click();

  const gpu = page.getByRole('region', { name: 'GPU', exact: true });
  await expect(gpu.getByText('Here', { exact: true })).toBeVisible();
  await gpu.getByText('20 metrics').click();
  await expect(gpu.getByRole('button', { name: 'DCGM_FI_DEV_GPU_TEMP' })).toBeVisible();

  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('the search has the focus at every opening, and Escape gives it back to the button', async ({ page }) => {
  await page.goto('/#/query');
  const opener = page.getByRole('button', { name: 'Catalog' });

  for (const _opening of [1, 2, 3]) {
    await opener.click();
    await expect(page.getByRole('textbox', { name: 'Search the catalog' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(opener).toBeFocused();
  }
});

test('the metrics explorer shows what the metrics mean, which the platform does not say', async ({ page }) => {
  await page.goto('/#/query');

  await page.getByRole('button', { name: 'Open metrics explorer' }).click();
  await page.getByPlaceholder('Search metrics by name').fill('GPU_TEMP');

  await expect(page.getByRole('dialog').getByText('Temperature of the GPU. Unit: celsius.')).toBeVisible();
});

test('the options have no switch for exemplars, which the platform does not have', async ({ page }) => {
  await page.goto('/#/query');

  await page.getByRole('button', { name: /Options/ }).click();

  await expect(page.getByText('Min step', { exact: true })).toBeVisible();
  await expect(page.getByText('Exemplars')).toHaveCount(0);
});
