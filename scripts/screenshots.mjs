// Makes the pictures of the documentation from the preview, in both themes: `npm run screenshots`.
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { buildAll } from './lib/builds.mjs';
import { findChromium } from './lib/chromium.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';
import { startStack } from './lib/stack.mjs';

const QUERY = 'avg by (instance) (DCGM_FI_DEV_POWER_USAGE)';
/** As high as the highest page, because tables draw only the rows that are in the window. */
const size = { width: 1280, height: 2000 };

/** Pictures that Grafana's catalogue shows too, in its own theme; `src/plugin.json` names them. */
const CATALOGUE = ['panel', 'query', 'fine-tuning', 'annotation', 'capacities-number', 'config'];

/**
 * What to show: the page's view, where it isn't of the picture's name, the window's height, where it matters, and how
 * to get there from it.
 *
 * @type {Record<string, { view?: string, height?: number, arrange: (page: import('playwright').Page) => Promise<void> }>}
 */
const pictures = {
  panel: {
    arrange: async (page) => {
      await page
        .getByText(/train_loss/)
        .first()
        .waitFor();
      await page
        .getByRole('button', { name: /^Mark: Checkpoint / })
        .last()
        .hover();
    },
  },
  query: {
    arrange: async (page) => {
      await pick(page, 'Code');
      await page.getByTestId('data-testid ReactMonacoEditor editorLazy').click();
      await page.keyboard.type(QUERY, { delay: 20 });
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Run query' }).press('Enter');
      await page.getByRole('grid').waitFor();
    },
  },
  'fine-tuning': {
    view: 'query',
    arrange: async (page) => {
      await pick(page, 'Fine-tuning');
      await page.getByRole('button', { name: 'Run query' }).press('Enter');
      await page
        .getByRole('link', { name: /^ftjob-/ })
        .first()
        .waitFor();
    },
  },
  catalogue: {
    view: 'query',
    height: 900,
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Catalogue' }).press('Enter');
      await page.getByRole('region', { name: 'GPU', exact: true }).waitFor();
    },
  },
  capacities: {
    view: 'query',
    arrange: async (page) => {
      await chooseCapacities(page);
    },
  },
  'capacities-number': {
    view: 'query',
    arrange: async (page) => {
      await chooseCapacities(page);
      await pick(page, 'Number');
      await page.getByRole('heading', { name: 'Numbers' }).waitFor();
    },
  },
  'api-list': {
    view: 'query',
    arrange: async (page) => {
      await chooseCapacities(page);
      await pick(page, 'API list');
      await page.getByRole('columnheader', { name: 'limit' }).waitFor();
    },
  },
  annotation: {
    arrange: async (page) => {
      await page.getByRole('list', { name: 'What would be drawn' }).getByRole('listitem').first().waitFor();
    },
  },
  config: {
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Save & test' }).press('Enter');
      await page.getByTestId('data-testid Alert success').last().waitFor();
      // The message in the corner that the settings are saved goes by itself.
      await page.getByText('Datasource updated').waitFor({ state: 'detached' });
    },
  },
};

async function chooseCapacities(page) {
  await pick(page, 'Capacity & API');
  await page.getByRole('gridcell').first().waitFor();
}

/** Chooses by keyboard: a tooltip may cover the option from the mouse. */
async function pick(page, option) {
  await page.getByRole('radio', { name: option, exact: true }).press('Space');
}

async function screenshots() {
  await bootstrap();
  await buildAll();
  const { chromium } = await import('playwright');
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const folder = join(root, 'docs', 'img');
  const catalogue = join(root, 'src', 'img', 'screenshots');
  await Promise.all([folder, catalogue].map((path) => mkdir(path, { recursive: true })));
  const stack = await startStack();
  try {
    for (const [name, { view = name, height, arrange }] of chosenPictures()) {
      for (const theme of ['light', 'dark']) {
        const file = `${name}-${theme}.png`;
        await step(file, () =>
          picture(browser, `${stack.previewUrl}/?theme=${theme}#/${view}`, arrange, join(folder, file), height)
        );
      }
    }
    for (const name of CATALOGUE) {
      await copyFile(join(folder, `${name}-dark.png`), join(catalogue, `${name}.png`));
    }
  } finally {
    await stack.stop();
    await browser.close();
  }
}

/** All, or those that the command line names: `npm run screenshots -- config`. */
function chosenPictures() {
  const names = process.argv.slice(2);
  return Object.entries(pictures).filter(([name]) => names.length === 0 || names.includes(name));
}

async function picture(browser, address, arrange, file, height = size.height) {
  const page = await browser.newPage({ viewport: { ...size, height }, timezoneId: 'UTC' });
  await page.goto(address);
  await arrange(page);
  // What has the focus would wear its ring and its tooltip.
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  // Fonts and the plot's last frame.
  await page.waitForTimeout(1000);
  const bottom = await page.locator('#root').evaluate((element) => Math.ceil(element.getBoundingClientRect().bottom));
  await page.screenshot({ path: file, clip: { x: 0, y: 0, width: size.width, height: Math.min(bottom, height) } });
  await page.close();
}

await main(screenshots);
