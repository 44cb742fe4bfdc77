import { type Request } from '@playwright/test';
import { expect, test } from './fixtures';

/** What a page asks the plugin for: its files, its resources, its queries. */
function record(requests: Request[]) {
  const paths = requests.map((request) => new URL(request.url()).pathname);
  return {
    files: paths.filter((path) => path.startsWith('/public/plugins/') && path.endsWith('.js')),
    asked: paths.filter((path) => /^\/api\/(ds\/query|datasources\/.*\/(resources|proxy)\/)/.test(path)),
  };
}

test('a data source that no panel asks makes no request', async ({ page }) => {
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));

  // The settings have a data source, and nothing to ask it.
  await page.goto('/#/config');
  await expect(page.getByRole('button', { name: 'Save & test' })).toBeVisible();
  await expect(page.getByText('Loading editor')).toBeHidden();
  await page.waitForLoadState('networkidle');

  expect(record(requests).asked).toEqual([]);
});

test('a dashboard loads no editor, and asks for nothing but its panels’ data', async ({ page }) => {
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));

  await page.goto('/#/panel');
  await expect(page.getByRole('heading', { name: 'GPU utilization by node' })).toBeVisible();
  await page.waitForLoadState('networkidle');

  const { files, asked } = record(requests);
  expect(files).toEqual([expect.stringMatching(/\/module\.js$/)]);
  expect(new Set(asked)).toEqual(new Set(['/api/ds/query']));
});
