import { choose, expect, test } from './fixtures';

test('Runs: the curves of two runs are drawn as soon as they are chosen', { tag: '@smoke' }, async ({ page }) => {
  const curves = page.getByTestId(/^data-testid VizLegend series/);
  await page.goto('/#/query');
  await choose(page, 'Runs');
  await expect(curves.first()).toBeVisible();

  await page.getByRole('combobox', { name: 'Runs' }).click();
  await page.getByRole('option').nth(0).click();
  await page.getByRole('option').nth(1).click();
  await page.keyboard.press('Escape');

  await expect(curves).toHaveCount(2);
});
