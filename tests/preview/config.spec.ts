import { expect, isolatedTest } from './fixtures';

isolatedTest('saving the right settings tests the connection', async ({ page }) => {
  await page.goto('/#/config');

  await page.getByRole('button', { name: 'Save & test' }).click();

  await expect(page.getByTestId('data-testid Alert success').filter({ hasText: 'Metrics' })).toBeVisible();
});

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
  await expect(page.getByRole('list', { name: 'Test of the connection' }).getByRole('listitem')).toHaveText([
    /^✗Metrics: The platform refused/,
    /^✓Fine-tuning: /,
    /^✓Main API: /,
  ]);
  await expect(page.getByLabel(/Monitoring token/)).toHaveValue('configured');
});

isolatedTest('a mistake in a field is named beside it before anything is saved', async ({ page }) => {
  await page.goto('/#/config');

  await page.getByLabel(/Base address/).fill('api.example.com');
  await page.getByLabel(/Base address/).blur();

  await expect(page.getByRole('alert').filter({ hasText: /https?:\/\// })).toBeVisible();
});

isolatedTest('a base address with too much at its end is tidied, and tested as it is then', async ({ page }) => {
  await page.goto('/#/config');
  const address = await page.getByLabel(/Base address/).inputValue();

  await page.getByLabel(/Base address/).fill(` ${address}/v1/ `);
  await page.getByRole('button', { name: 'Save & test' }).click();

  await expect(page.getByTestId('data-testid Alert success').filter({ hasText: 'Metrics' })).toBeVisible();
  await expect(page.getByLabel(/Base address/)).toHaveValue(address);
});

isolatedTest('a secret never comes back to the browser', async ({ page, stack }) => {
  const bodies: string[] = [];
  page.on('response', async (response) => {
    if (response.url().includes('/api/datasources/')) {
      bodies.push(await response.text());
    }
  });
  await page.goto('/#/config');

  await page.getByRole('button', { name: 'Save & test' }).click();

  await expect(page.getByTestId('data-testid Alert success').first()).toBeVisible();
  expect(bodies.length).toBeGreaterThan(1);
  expect(bodies.join('\n')).not.toContain(stack.monitoringToken);
});
