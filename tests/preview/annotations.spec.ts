import { type Page } from '@playwright/test';
import { expect, legendEntries, test } from './fixtures';

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
