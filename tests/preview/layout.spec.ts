import { type Locator } from '@playwright/test';
import { choose, expect, test } from './fixtures';

// A query editor beside a panel is as narrow as this.
test.use({ viewport: { width: 800, height: 1000 } });

const KINDS = ['Metrics', 'Fine-tuning', 'Runs', 'Training health', 'Main API'];

/** Of the header of Grafana's own query editors, in pixels. */
const HEADER = 32;

const boxOf = async (element: Locator) => {
  await expect(element).toBeVisible();
  return (await element.boundingBox())!;
};

test("the header is of one height for all kinds, and no taller than Grafana's own", async ({ page, watch }) => {
  // The backend says what new queries lack.
  watch.expectErrorFrom(/\/api\/ds\/query/);
  await page.goto('/#/query');
  const heights: number[] = [];
  for (const kind of KINDS) {
    await choose(page, kind);
    const parts = [
      await boxOf(page.getByRole('radiogroup', { name: 'Query' })),
      await boxOf(page.getByRole('link', { name: 'How to write queries' })),
    ];
    const top = Math.min(...parts.map(({ y }) => y));
    heights.push(Math.max(...parts.map(({ y, height }) => y + height)) - top);
  }
  expect(new Set(heights.map(Math.round)).size).toBe(1);
  expect(heights[0]).toBeLessThanOrEqual(HEADER);
});

test('a job with a long name covers no field beside its own', async ({ page, watch }) => {
  // No job has that name.
  watch.expectErrorFrom(/\/api\/ds\/query/);
  await page.goto('/#/query');
  await choose(page, 'Fine-tuning');
  const jobs = page.getByRole('combobox', { name: 'Jobs' });
  const status = page.getByRole('combobox', { name: 'Status' });
  await jobs.fill(`ft:meta-llama/Llama-3.3-70B-Instruct:${'a-very-long-suffix-'.repeat(6)}`);
  await jobs.press('Enter');
  await page.keyboard.press('Escape');

  const field = await boxOf(jobs.locator('xpath=ancestor::*[.//*[contains(text(), "a-very-long")]][1]'));
  const next = await boxOf(status);
  expect(field.x + field.width <= next.x || field.y + field.height <= next.y).toBe(true);
  expect(field.x + field.width).toBeLessThanOrEqual(800);
});

test('fields stay where they are when the runs arrive', async ({ page }) => {
  let release = () => {};
  const arrived = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/api\/ds\/query/, async (route) => {
    if (route.request().postData()?.includes('"refId":"runs"')) {
      await arrived;
    }
    await route.continue();
  });
  await page.goto('/#/query');
  await choose(page, 'Runs');
  const fields = ['Runs', 'Baseline', 'Training metric'].map((name) =>
    page.getByRole('combobox', { name: new RegExp(`^${name}`) })
  );
  const before = await Promise.all(fields.map(boxOf));
  release();
  await page.getByRole('combobox', { name: /^Runs/ }).click();
  await expect(page.getByRole('option', { name: /·/ }).first()).toBeVisible();
  await page.keyboard.press('Escape');

  expect(await Promise.all(fields.map(boxOf))).toEqual(before);
  for (const { x, width } of before) {
    expect(x + width).toBeLessThanOrEqual(800);
  }
});
