import { type Page } from '@playwright/test';
import { expect, isolatedTest, legendEntries, test } from './fixtures';

/** Where jobs begin and end: on this page too many overlap for spans. */
const jobMarks = (page: Page) => page.getByRole('button', { name: /^Mark: Fine-tuning job / });
const checkpoints = (page: Page) => page.getByRole('button', { name: /^Mark: Checkpoint / });

test(
  'fine-tuning jobs and checkpoints are drawn over the GPU panel and say what they are',
  { tag: '@smoke' },
  async ({ page }) => {
    await page.goto('/#/panel');

    await expect(legendEntries(page)).toHaveCount(8);
    await expect(jobMarks(page).first()).toBeVisible();
    await expect(checkpoints(page).first()).toBeVisible();

    // By the keyboard, because marks of the same time lie over one another.
    await jobMarks(page).last().focus();
    const tooltip = page.getByRole('tooltip');
    await expect(tooltip).toContainText(/Fine-tuning job \S+/);
    await expect(tooltip).toContainText(/ftjob-/);

    await jobMarks(page).last().blur();
    await expect(tooltip).toBeHidden();

    await checkpoints(page).last().focus();
    await expect(tooltip).toContainText(/Checkpoint at step \d+/);
    await expect(tooltip).toContainText(/loss/);
  }
);

isolatedTest(
  'the GPU panel stands when the tuning gateway is down, and says why nothing is drawn over it',
  async ({ page, stack, watch }) => {
    watch.expectErrorFrom(/\/api\/ds\/query/);
    await fetch(`${stack.simulatorUrl}/_control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        service: 'tuning',
        status: 401,
        body: '{"error":{"message":"Incorrect API key provided."}}',
      }),
    });

    await page.goto('/#/panel');

    await expect(legendEntries(page)).toHaveCount(8);
    await expect(page.getByRole('alert').filter({ hasText: /inference API key/ })).toBeVisible();
    await expect(jobMarks(page)).toHaveCount(0);
  }
);

test('the jobs are listed with their statuses, and a job leads to its checkpoints', async ({ page }) => {
  await openJobs(page);
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

test('the panel draws what the annotation editor sets up', async ({ page }) => {
  await page.goto('/#/annotation');
  const editor = page.getByRole('region', { name: 'Annotation' });

  await editor.getByRole('button', { name: 'Remove Checkpoints' }).click();
  await expect(editor.getByRole('listitem').filter({ hasText: 'Checkpoint at step' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Panel' }).click();

  await expect(jobMarks(page).first()).toBeVisible();
  await expect(checkpoints(page)).toHaveCount(0);
});

/** Opens the query page with the list of jobs. */
async function openJobs(page: Page) {
  await page.goto('/#/query');
  await page.getByRole('radio', { name: 'Fine-tuning', exact: true }).press('Space');
  await page
    .getByRole('link', { name: /^ftjob-/ })
    .first()
    .waitFor();
}
