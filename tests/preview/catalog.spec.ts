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
  const found = page.getByRole('button', { name: 'Utilization by node', exact: true });
  await expect(found).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(found).toBeFocused();
  await page.keyboard.press('Enter');

  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(legendEntries(page)).toHaveCount(8);
});
