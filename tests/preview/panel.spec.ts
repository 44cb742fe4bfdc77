import { type Page } from '@playwright/test';
import { expect, isolatedTest, legendEntries, test } from './fixtures';

test('the panel shows the GPU utilization of all eight nodes', async ({ page }) => {
  await page.goto('/#/panel');

  await expect(page.getByRole('note')).toContainText('stands in for Grafana');
  await expect(page.getByRole('heading', { name: 'GPU utilization by node' })).toBeVisible();
  await expect(legendEntries(page)).toHaveCount(8);
  await expect(page.getByRole('button', { name: /Last 6 hours/ })).toBeVisible();
  expect(await drawnPixels(page)).toBeGreaterThan(1000);
});

test('the panel sends its queries again when another time range is chosen', async ({ page }) => {
  await page.goto('/#/panel');
  await expect(legendEntries(page)).toHaveCount(8);

  const request = page.waitForRequest((sent) => sent.url().includes('/api/ds/query'));
  await page.getByRole('button', { name: /Last 6 hours/ }).click();
  await page.getByText('Last 1 hour', { exact: true }).click();

  const { from, to } = (await request).postDataJSON();
  expect(Number(to) - Number(from)).toBe(60 * 60 * 1000);
  await expect(legendEntries(page)).toHaveCount(8);
});

isolatedTest('the panel says why it is empty when the platform is down', async ({ page, stack, watch }) => {
  watch.expectErrorFrom(/\/api\/ds\/query/);
  await fetch(`${stack.simulatorUrl}/_control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      service: 'metrics',
      status: 500,
      body: '{"code":"internal_error","message":"storage is down"}',
    }),
  });

  await page.goto('/#/panel');

  await expect(page.getByRole('alert').filter({ hasText: 'storage is down' })).toBeVisible();
});

/** How many pixels of the plot are not transparent. */
function drawnPixels(page: Page) {
  return page
    .getByRole('region', { name: 'GPU utilization by node' })
    .locator('.u-wrap canvas')
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, i) => i % 4 === 3 && value > 0).length;
    });
}
