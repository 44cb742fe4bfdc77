// cspell:ignore Jvbmctc Vjcm Wtle
import { type Page } from '@playwright/test';
import { expect, isolatedTest, test } from './fixtures';

test.describe('Main API', () => {
  test('shows what is to be had where as a table, at once', async ({ page }) => {
    await openPlatform(page);

    const table = page.getByRole('grid');
    for (const title of ['type', 'location', 'quantity']) {
      await expect(table.getByRole('columnheader', { name: title })).toBeVisible();
    }
    await expect(table.getByRole('gridcell', { name: /^[abhl]\d+s?\.\d+x$/ }).first()).toBeVisible();
    await expect(table.getByRole('gridcell', { name: /^\d+$/ }).first()).toBeVisible();
  });

  test('shows numbers that are named by product and location', async ({ page }) => {
    await openPlatform(page);
    const row = page.getByRole('grid').getByRole('row').nth(1);
    const [type, location, quantity] = await row.getByRole('gridcell').allInnerTexts();

    await pick(page, 'Number');

    await expect(page.getByRole('heading', { name: 'Numbers' })).toBeVisible();
    await expect(page.getByRole('listitem').filter({ hasText: `${type} · ${location}: ${quantity}` })).toBeVisible();
    await expect(page.getByRole('grid')).toHaveCount(0);
  });

  test('shows only the products and locations that are chosen', async ({ page }) => {
    await openPlatform(page);
    const [type] = await page.getByRole('grid').getByRole('row').nth(1).getByRole('gridcell').allInnerTexts();

    await page.getByRole('combobox', { name: 'Products' }).click();
    await page.getByRole('option', { name: type, exact: true }).click();
    await page.keyboard.press('Escape');

    const types = page.getByRole('grid').getByRole('gridcell', { name: /^[abhl]\d+s?\.\d+x$/ });
    await expect(async () => expect([...new Set(await types.allInnerTexts())]).toEqual([type])).toPass();
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

  test('takes any member as a column of a list that nobody has described', async ({ page }) => {
    await openPlatform(page);
    await pick(page, 'API list');
    await page.getByLabel('Path').fill('/v1/capacities');
    await page.getByLabel('Path').press('Enter');
    const columns = page.getByRole('combobox', { name: 'Columns' });
    await expect(page.getByRole('grid').getByRole('columnheader', { name: 'quantity' })).toBeVisible();

    await columns.fill('quantity');
    await page.getByRole('option', { name: /^quantity/ }).click();
    await page.keyboard.press('Escape');

    await expect(page.getByRole('columnheader')).toHaveText(['quantity']);
  });

  test('fills in the organization of the settings, and the time range', async ({ page }) => {
    await openPlatform(page);
    await pick(page, 'API list');
    const request = page.waitForRequest((sent) => /audit-logs/.test(sent.postData() ?? ''));
    await choose(page, 'Ready-made list', /^Audit logs/);

    const [query] = (await request).postDataJSON().queries;
    expect(query.path, 'the backend fills it in').toBe('/v1/organizations/{organizationId}/audit-logs');
    await expect(page.getByRole('grid').getByRole('columnheader', { name: 'actor' })).toBeVisible();
    await expect(page.getByRole('gridcell', { name: /^fine_tuning\.job\./ }).first()).toBeVisible();
  });

  test('names what is wrong with a path beside it, and in the place of the result before', async ({ page, watch }) => {
    watch.expectErrorFrom(/\/api\/ds\/query/);
    await openPlatform(page);
    await pick(page, 'API list');
    await expect(page.getByRole('gridcell').first()).toBeVisible();

    await page.getByLabel('Path').fill('/v1/../admin');
    await expect(page.getByText('“.” and “..” are not allowed.')).toBeVisible();
    await page.keyboard.press('Enter');

    await expect(page.getByRole('gridcell')).toHaveCount(0);
  });

  isolatedTest(
    'says which page of the settings has the key that the platform refuses',
    async ({ page, stack, watch }) => {
      watch.expectErrorFrom(/\/api\/ds\/query|\/health/);
      await page.goto('/#/config');
      // The secret key is the last of the secrets on the page.
      await page.getByRole('button', { name: 'Reset' }).last().click();
      await page.getByLabel(/^Secret key/).fill('d3Jvbmctc2VjcmV0LWtleQ');
      await page.getByRole('button', { name: 'Save & test' }).click();

      const error = page.getByTestId('data-testid Alert error');
      await expect(error).toContainText(/Main API: The platform refused the access key \(401\)\. .*section Main API/);
      await expect(error).not.toContainText('d3Jvbmctc2VjcmV0LWtleQ');
      const { signatureFailures } = await (await fetch(`${stack.simulatorUrl}/_control/counters`)).json();
      expect(signatureFailures).toMatchObject({ signatureMismatch: 1 });

      await page.getByRole('tab', { name: 'Query' }).click();
      await pick(page, 'Main API');
      await expect(page.getByTestId('data-testid Alert error').filter({ hasText: 'access key' })).toBeVisible();
    }
  );

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
