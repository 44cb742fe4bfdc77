import { type Page } from '@playwright/test';
import { expect, test } from './fixtures';

test(
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
    expect(bodies.join('\n')).not.toContain(stack.env.GPUCLOUD_MONITORING_TOKEN);
  }
);

const lines = (page: Page) => page.getByRole('list', { name: 'Test of the connection' }).getByRole('listitem');
