import { type Page, type Request } from '@playwright/test';
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

test("the code editor completes the names of the platform's metrics", async ({ page }) => {
  await page.goto('/#/query');

  await typeQuery(page, 'DCGM_FI_DEV_GPU_U', { keepSuggestions: true });

  await expect(page.getByRole('option', { name: /DCGM_FI_DEV_GPU_UTIL/ })).toBeVisible();
});

test('a data source that no panel uses makes no request', async ({ page }) => {
  const requests = record(page);

  // The settings have a data source, and no query for it.
  await page.goto('/#/config');
  await expect(page.getByRole('button', { name: 'Save & test' })).toBeVisible();
  await expect(page.getByText('Loading editor')).toBeHidden();
  await page.waitForLoadState('networkidle');

  expect(requests().sent).toEqual([]);
});

test('a dashboard loads no editor, and requests nothing but its panels’ data', async ({ page }) => {
  const requests = record(page);

  await page.goto('/#/panel');
  await expect(legendEntries(page)).toHaveCount(8);
  await page.waitForLoadState('networkidle');

  expect(requests().files).toEqual([expect.stringMatching(/\/module\.js$/)]);
  expect(new Set(requests().sent)).toEqual(new Set(['/api/ds/query']));
});

/** What a page requests of the plugin from now on: its files, its resources, its queries. */
function record(page: Page) {
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  return () => {
    const paths = requests.map((request) => new URL(request.url()).pathname);
    return {
      files: paths.filter((path) => path.startsWith('/public/plugins/') && path.endsWith('.js')),
      sent: paths.filter((path) => /^\/api\/(ds\/query|datasources\/.*\/(resources|proxy)\/)/.test(path)),
    };
  };
}

async function typeQuery(page: Page, expression: string, { keepSuggestions = false } = {}) {
  await page.getByRole('radio', { name: 'Code' }).check({ force: true });
  const editor = page.getByTestId('data-testid ReactMonacoEditor editorLazy');
  await editor.click();
  await page.keyboard.type(expression, { delay: 15 });
  if (!keepSuggestions) {
    await page.keyboard.press('Escape');
  }
}
