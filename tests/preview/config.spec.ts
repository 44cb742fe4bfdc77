import { type Page } from '@playwright/test';
import { expect, isolatedTest } from './fixtures';

isolatedTest('the error of a wrong token says what to do', async ({ page, watch }) => {
  watch.expectErrorFrom(/\/health/);
  await page.goto('/#/config');

  // The monitoring token is the first of the secrets on the page.
  await page.getByRole('button', { name: 'Reset' }).first().click();
  await page.getByLabel(/Monitoring token/).fill('not-the-token');
  await page.getByRole('button', { name: 'Save & test' }).click();

  const error = page.getByTestId('data-testid Alert error');
  await expect(error).toContainText(/monitoring token/i);
  await expect(error).not.toContainText('not-the-token');
  await expect(error).not.toContainText('Fine-tuning');
  await expect(lines(page)).toHaveText([/^✗Metrics: The platform refused/, /^✓Fine-tuning: /, /^✓Main API: /]);
  await expect(page.getByLabel(/Monitoring token/)).toHaveValue('configured');
});

isolatedTest(
  'each service has a line when settings are saved, and a secret never comes back to the browser',
  { tag: '@smoke' },
  async ({ page, stack }) => {
    const bodies: string[] = [];
    page.on('response', async (response) => {
      if (response.url().includes('/api/datasources/')) {
        bodies.push(await response.text());
      }
    });
    await page.goto('/#/config');
    await page.getByRole('button', { name: 'Save & test' }).click();

    const result = page.getByTestId('data-testid Alert success').filter({ hasText: 'Connected:' });
    await expect(result).toContainText('Connected: Metrics, Fine-tuning, Main API.');
    await expect(lines(page)).toHaveText([
      /^✓Metrics: a range query took \d+ ms\.$/,
      /^✓Fine-tuning: .* took \d+ ms\.$/,
      /^✓Main API: a signed request took \d+ ms\.$/,
    ]);
    expect(bodies.length).toBeGreaterThan(1);
    expect(bodies.join('\n')).not.toContain(stack.monitoringToken);
  }
);

const lines = (page: Page) => page.getByRole('list', { name: 'Test of the connection' }).getByRole('listitem');
