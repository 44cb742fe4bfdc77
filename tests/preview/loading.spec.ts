import { type Request } from '@playwright/test';
import { expect, test } from './fixtures';

/** What a page requests of the plugin: its files, its resources, its queries. */
function record(requests: Request[]) {
  const paths = requests.map((request) => new URL(request.url()).pathname);
  return {
    files: paths.filter((path) => path.startsWith('/public/plugins/') && path.endsWith('.js')),
    sent: paths.filter((path) => /^\/api\/(ds\/query|datasources\/.*\/(resources|proxy)\/)/.test(path)),
  };
}

test('a data source that no panel uses makes no request', async ({ page }) => {
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));

  // The settings have a data source, and no query for it.
  await page.goto('/#/config');
  await expect(page.getByRole('button', { name: 'Save & test' })).toBeVisible();
  await expect(page.getByText('Loading editor')).toBeHidden();
  await page.waitForLoadState('networkidle');

  expect(record(requests).sent).toEqual([]);
});

test('a dashboard loads no editor, and requests nothing but its panels’ data', async ({ page }) => {
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));

  await page.goto('/#/panel');
  await expect(page.getByRole('heading', { name: 'GPU utilization by node' })).toBeVisible();
  await page.waitForLoadState('networkidle');

  const { files, sent } = record(requests);
  expect(files).toEqual([expect.stringMatching(/\/module\.js$/)]);
  expect(new Set(sent)).toEqual(new Set(['/api/ds/query']));
});
