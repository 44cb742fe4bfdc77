import { type Page } from '@playwright/test';
import { choose, expect, legendEntries, test } from './fixtures';

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
