import { expect, test } from '@grafana/plugin-e2e';
import type { Page } from '@playwright/test';
import { selectors } from '@grafana/e2e-selectors';

// The questions that the dashboards are made for, read as a person reads them. The simulated platform has all its incidents
// (`-incident=all`), which began half an hour before it: a GPU with an XID error, and jobs that hang.

const MINUTE = 60_000;
const INCIDENT_AGE = 30 * MINUTE;
const BROKEN = { node: 'gpu-node-0001', gpu: '7', xid: '48' };

test.describe('A dashboard answers', () => {
  test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 3600 } });

  test('which XID error there is, since when, and what to do', async ({ page }) => {
    await open(page, 'gpucloud-stragglers', { from: 'now-6h' });
    const found = await rows(page, 'XID errors at the end of the range');
    expect(found).toEqual([expect.objectContaining({ Node: BROKEN.node, GPU: BROKEN.gpu, XID: BROKEN.xid })]);
    expect(found[0].Meaning).toBe('a double-bit ECC error: GPU memory lost data that cannot be corrected');
    expect(found[0]['What to do']).toContain('drain this node and reset the GPU');
    for (const text of Object.values(found[0])) {
      await expectWhole(page, 'XID errors at the end of the range', text);
    }
    expect(Date.now() - at(found[0].Since)).toBeGreaterThan(INCIDENT_AGE - 3 * MINUTE);

    await panel(page, 'XID errors at the end of the range').getByRole('link', { name: BROKEN.node }).click();
    await expect(page).toHaveURL(new RegExp(`/d/gpucloud-node/.*var-node=${BROKEN.node}`));

    await open(page, 'gpucloud-gpu-overview', { from: 'now-6h' });
    const faults = await rows(page, 'Top faults');
    expect(faults.filter(({ Node, GPU }) => Node === BROKEN.node && GPU === BROKEN.gpu)).toHaveLength(1);
    expect(
      faults.filter(({ Node }) => !Node),
      'a sentence beside what was found'
    ).toEqual([]);
  });

  test('how a job did, and its node pool meanwhile, by one click', async ({ page }) => {
    await open(page, 'gpucloud-fine-tuning', { from: 'now-7d' });
    const row = (await rows(page, 'Results of jobs')).find((one) => one['Node pool'] === 'pretraining')!;
    expect(row, 'a job with a node pool').toBeDefined();
    await panel(page, 'Results of jobs').getByRole('link', { name: row.Job, exact: true }).click();
    await expect(page).toHaveURL(/var-job=ftjob/);

    await expect(async () => {
      expect((await rows(page, 'Results of jobs')).map(({ Job }) => Job)).toEqual([row.Job]);
    }).toPass();
    await expect(panel(page, 'Losses').getByText(`${row.Job} train_loss`)).toBeVisible();
    await expect(panel(page, 'Timeline').locator('canvas')).toBeVisible();
    const load = panel(page, 'Utilization of their node pools meanwhile, mean');
    await expect(load.getByText('pretraining')).toBeVisible();
  });

  test('which job failed and why, without scrolling sideways', async ({ page }) => {
    await open(page, 'gpucloud-fine-tuning', { from: 'now-30d' });
    const [first] = await rows(page, 'Results of jobs');
    expect(first.Status).toBe('failed');
    expect(first.Error).toMatch(/\w{3}/);
    const table = panel(page, 'Results of jobs');
    for (const column of ['Job', 'Status', 'Error', 'Last report']) {
      await expect(table.getByRole('columnheader', { name: column })).toBeInViewport({ ratio: 1 });
    }
    await expectWhole(page, 'Results of jobs', first.Error);
  });
});

const panel = (page: Page, title: string) => page.getByTestId(selectors.components.Panels.Panel.title(title));

/** Opens a dashboard, over a range up to now. */
const open = (page: Page, uid: string, parameters: Record<string, string>) =>
  page.goto(`/d/${uid}?${new URLSearchParams({ to: 'now', ...parameters })}`);

/** What is read in a table: a row by the titles of its columns. Waits until there are rows. */
async function rows(page: Page, title: string): Promise<Array<Record<string, string>>> {
  const grid = panel(page, title).getByRole('grid');
  let read: Array<Record<string, string>> = [];
  await expect(async () => {
    read = await grid.evaluate((element) => {
      const texts = (within: Element, role: string) =>
        [...within.querySelectorAll<HTMLElement>(`[role=${role}]`)].map((cell) => cell.innerText.trim());
      const titles = texts(element, 'columnheader');
      return [...element.querySelectorAll('[role=row]')]
        .map((row) => texts(row, 'gridcell'))
        .filter((cells) => cells.length > 0)
        .map((cells) => Object.fromEntries(titles.map((name, i) => [name, cells[i]])));
    });
    expect(read.length).toBeGreaterThan(0);
    expect(Object.keys(read[0]), 'the titles of the columns').not.toContain('');
  }).toPass({ timeout: 40_000 });
  return read;
}

/** Expects that a cell of a table shows all of its text. */
async function expectWhole(page: Page, title: string, text: string) {
  const cell = panel(page, title).getByRole('gridcell', { name: text, exact: true }).first();
  const room = await cell.evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => ({
    across: clientWidth - scrollWidth,
    down: clientHeight - scrollHeight,
  }));
  expect(room, text).toEqual({ across: 0, down: 0 });
}

/** A time as tables of a browser in UTC show it, in milliseconds. */
const at = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`);
