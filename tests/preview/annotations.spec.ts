import { type Page } from '@playwright/test';
import { choose, expect, isolatedTest, legendEntries, test } from './fixtures';

/** Where jobs begin and end: on this page too many overlap for spans. */
const jobMarks = (page: Page) => page.getByRole('button', { name: /^Mark: Fine-tuning job / });
const checkpoints = (page: Page) => page.getByRole('button', { name: /^Mark: Checkpoint / });

test(
  'fine-tuning jobs and checkpoints are drawn over the GPU panel and say what they are',
  { tag: '@smoke' },
  async ({ page }) => {
    await page.goto('/#/panel');

    await expect(legendEntries(page)).toHaveCount(8);
    await expect(jobMarks(page).last()).toHaveAttribute('title', /Fine-tuning job \S+[^]*ftjob-/);
    await expect(checkpoints(page).last()).toHaveAttribute('title', /Checkpoint at step \d+[^]*loss/);
  }
);

isolatedTest(
  'the GPU panel stands when the tuning gateway is down, and says why nothing is drawn over it',
  async ({ page, watch, inject }) => {
    watch.expectErrorFrom(/\/api\/ds\/query/);
    await inject({ service: 'tuning', status: 401, body: '{"error":{"message":"Incorrect API key provided."}}' });

    await page.goto('/#/panel');

    await expect(legendEntries(page)).toHaveCount(8);
    await expect(page.getByRole('alert').filter({ hasText: /inference API key/ })).toBeVisible();
    await expect(jobMarks(page)).toHaveCount(0);
  }
);

test('the panel draws what the annotation editor sets up', async ({ page }) => {
  await page.goto('/#/annotation');
  const editor = page.getByRole('region', { name: 'Annotation' });

  await editor.getByRole('button', { name: 'Remove Checkpoints' }).click();
  await expect(editor.getByRole('listitem').filter({ hasText: 'Checkpoint at step' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Panel' }).click();

  await expect(jobMarks(page).first()).toBeVisible();
  await expect(checkpoints(page)).toHaveCount(0);
});

test('the jobs are listed with their statuses, and a job leads to its checkpoints', async ({ page }) => {
  await page.goto('/#/query');
  await choose(page, 'Fine-tuning');
  await expect(page.getByRole('gridcell', { name: 'validating_files' })).toBeVisible();
  await expect(page.getByRole('gridcell', { name: 'paused' })).toBeVisible();

  const job = page.getByRole('row').filter({ hasText: 'never-finished' });
  await job.getByRole('link', { name: /^ftjob-/ }).click();
  await page.getByRole('button', { name: 'Run query' }).click();

  await expect(page.getByRole('link', { name: /^ftckpt-/ }).first()).toHaveAttribute(
    'href',
    /^\/api\/datasources\/uid\/gpucloud\/resources\/checkpoints\/ftckpt-[^/]+\/content$/
  );
});
