import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { step } from '../lib/progress.mjs';

/** The dashboards in the documentation. */
const DOCUMENTED = ['gpu-overview', 'gpu-time', 'fine-tuning'].map((name) => `gpucloud-${name}`);

const HEIGHT = 860;

/** Height of a row of the panels' grid, and of everything around the grid, in pixels. */
const GRID_ROW = 38;
const FRAME = 240;

/**
 * Makes pictures of dashboards: as high as a screen or, with `whole`, as the dashboard.
 *
 * @param {{ parts: string[], whole?: boolean, theme: string, width: number, range?: string, folder: string }} options
 *   `parts` of uids choose the dashboards; without any, they are those of the documentation. `range` is how far back
 *   they go, such as 30d.
 */
export async function screenshotDashboards(browser, { parts, whole, theme, width, range, folder }) {
  await mkdir(folder, { recursive: true });
  for (const { uid, panels } of await dashboardsMatching(parts)) {
    const file = `${uid.replace(/^gpucloud-/, '')}.png`;
    await step(file, async () => {
      const rows = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
      const size = { width, height: whole ? rows * GRID_ROW + FRAME : HEIGHT };
      const path = range ? `/d/${uid}?from=now-${range}&to=now` : `/d/${uid}`;
      const { page, drawn } = await browser.open(path, theme, size);
      await drawn();
      await page.screenshot({ path: join(folder, file) });
      await page.close();
    });
  }
}

async function dashboardsMatching(parts) {
  const folder = join(root, 'src', 'dashboards');
  const files = (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8'));
  const dashboards = (await Promise.all(files)).map((text) => JSON.parse(text));
  return dashboards.filter(({ uid }) =>
    parts.length > 0 ? parts.some((part) => uid.includes(part)) : DOCUMENTED.includes(uid)
  );
}
