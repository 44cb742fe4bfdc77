import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { step } from '../lib/progress.mjs';

const UID = 'gpucloud';
const QUERY = 'avg by (instance) (DCGM_FI_DEV_POWER_USAGE)';
const size = { width: 1280, height: 900 };

/** Pictures for Grafana's plugin catalog, which is dark; `src/plugin.json` names them. */
const CATALOG = ['panel', 'query', 'fine-tuning', 'annotation', 'capacities-number', 'config'];

/** Explore with a query of the last day. */
function explore(query) {
  const datasource = { uid: UID, type: 'gpucloud-platform-datasource' };
  const pane = {
    datasource: UID,
    queries: [{ refId: 'A', datasource, ...query }],
    range: { from: 'now-24h', to: 'now' },
  };
  return `/explore?${new URLSearchParams({ schemaVersion: '1', panes: JSON.stringify({ a: pane }) })}`;
}

/**
 * What to show: the page's path, and how to get there from it.
 *
 * @type {Record<string, { path: string, arrange?: (page: import('playwright').Page) => Promise<void> }>}
 */
const pictures = {
  panel: {
    // The panel of utilization, with what is drawn over it.
    path: '/d/gpucloud-fine-tuning?from=now-6h&to=now&viewPanel=panel-6',
  },
  query: { path: explore({ expr: QUERY, editorMode: 'code', range: true }) },
  'fine-tuning': { path: explore({ queryType: 'fineTuningJobs' }) },
  catalog: {
    path: explore({ expr: '' }),
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Catalog' }).click();
      await page.getByRole('region', { name: 'GPU', exact: true }).waitFor();
    },
  },
  runs: {
    path: explore({
      queryType: 'runComparison',
      source: { kind: 'fineTuning' },
      selector: 'nodepool_name="$node_pool"',
      metric: 'train_loss',
      axis: 'rebased',
    }),
  },
  capacities: { path: explore({ queryType: 'capacities' }) },
  'capacities-number': { path: explore({ queryType: 'capacities', format: 'number' }) },
  'api-list': { path: explore({ queryType: 'platform', path: '/v1/projects/{projectId}/quotas' }) },
  annotation: {
    path: '/d/gpucloud-fine-tuning?from=now-24h&to=now&editview=annotations',
    arrange: async (page) => {
      await page.getByText('Fine-tuning jobs and checkpoints').first().click();
      await page.getByRole('list', { name: 'What would be drawn' }).getByRole('listitem').first().waitFor();
    },
  },
  config: {
    path: `/connections/datasources/edit/${UID}`,
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Save & test' }).click();
      await page.getByRole('list', { name: 'Test of the connection' }).waitFor();
      // The toast about saved settings disappears after some seconds.
      await page.getByText('Datasource updated').waitFor({ state: 'detached' });
    },
  },
};

/** Makes the pictures of editors and settings, in both themes, of the names given or of all. */
export async function screenshotEditors(browser, names) {
  const folder = join(root, 'docs', 'img');
  const catalog = join(root, 'src', 'img', 'screenshots');
  await mkdir(catalog, { recursive: true });
  const chosen = Object.entries(pictures).filter(([name]) => names.length === 0 || names.includes(name));
  for (const [name, { path, arrange }] of chosen) {
    for (const theme of ['light', 'dark']) {
      const file = `${name}-${theme}.png`;
      await step(file, async () => {
        const { page, drawn } = await browser.open(path, theme, size);
        await arrange?.(page);
        await drawn();
        // A focused element has a ring and a tooltip.
        await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
        await page.mouse.move(0, 0);
        await page.waitForTimeout(1000);
        await page.screenshot({ path: join(folder, file) });
        await page.close();
      });
    }
    if (CATALOG.includes(name)) {
      await copyFile(join(folder, `${name}-dark.png`), join(catalog, `${name}.png`));
    }
  }
}
