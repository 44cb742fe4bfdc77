import AxeBuilder from '@axe-core/playwright';
import { type Page } from '@playwright/test';
import { choose, expect, test as base } from './fixtures';

/** One page of a worker for all editors, each of which is made anew: loading Grafana's packages takes a third of a test. */
const test = base.extend<object, { onePage: Page }>({
  onePage: [
    async ({ sharedContext }, provide) => {
      const page = await sharedContext.newPage();
      await provide(page);
      await page.close();
    },
    { scope: 'worker' },
  ],
  page: async ({ onePage, viewport }, provide) => {
    await onePage.setViewportSize(viewport!);
    await onePage.goto('/?theme=light#/none');
    // Until it is gone: the page would not notice that the view was another in between.
    await expect(onePage.locator('section[aria-label]')).toHaveCount(0);
    await provide(onePage);
  },
});

/** From a phone's width to half a window's. */
const NARROW = [360, 480, 600];

interface Editor {
  /** The part of the page that is the plugin's, and the view that it is in. */
  part: string;
  view: string;
  open: (page: Page) => Promise<unknown>;
  /** Narrower windows are not tried. */
  narrowest?: number;
}

const query = (open: Editor['open']) => ({ part: 'section[aria-label="Query A"]', view: 'query', open });
const annotation = (open: Editor['open']) => ({ part: 'section[aria-label="Annotation"]', view: 'annotation', open });
const variable = (open: Editor['open']) => ({ part: 'section[aria-label="Variable"]', view: 'variable', open });

const drawn = (page: Page) =>
  page.getByRole('list', { name: 'What would be drawn' }).getByRole('listitem').first().waitFor();
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).press('Enter');

/** The plugin's editors, and how to get to them. */
const editors: Record<string, Editor> = {
  settings: {
    part: 'section[aria-label="Settings"]',
    view: 'config',
    // The fields of Grafana's own Prometheus settings have a width.
    narrowest: 600,
    open: async (page) => {
      await press(page, 'Expand section Prices');
      await press(page, 'Add model');
      await press(page, 'Expand section Advanced');
    },
  },
  'PromQL query': query((page) => page.getByRole('radio', { name: 'Builder' }).waitFor()),
  catalog: {
    part: '[role="dialog"]',
    view: 'query',
    open: async (page) => {
      await press(page, 'Catalog');
      await page.getByRole('region', { name: 'GPU', exact: true }).waitFor();
    },
  },
  'fine-tuning query': query(async (page) => {
    await choose(page, 'Fine-tuning');
    const links = page.getByRole('link', { name: /^ftjob-/ });
    await links.first().waitFor();
  }),
  'comparison of runs': query(async (page) => {
    await choose(page, 'Runs');
    await page.getByRole('combobox', { name: /^Baseline/ }).click();
    await page.getByRole('option').first().click();
    await page.getByRole('radio', { name: 'Difference' }).waitFor();
  }),
  'measures of runs by hand': query(async (page) => {
    await choose(page, 'Runs');
    await choose(page, 'Measures');
    await choose(page, 'By hand');
    await press(page, 'Add run');
    await press(page, /^Options/);
  }),
  'capacities query': query(async (page) => {
    await choose(page, 'Main API');
    await page.getByRole('gridcell').first().waitFor();
  }),
  'list query': query(async (page) => {
    await choose(page, 'Main API');
    await choose(page, 'API list');
    await page.getByRole('columnheader', { name: 'limit' }).waitFor();
    await press(page, /^Options/);
    await press(page, 'Add parameter');
  }),
  help: {
    part: 'section[aria-label="Help"]',
    view: 'query',
    open: async (page) => {
      await press(page, 'Show data source help');
      await page.getByRole('heading', { name: 'Fine-tuning' }).waitFor();
    },
  },
  annotation: annotation(drawn),
  'annotation of a list': annotation(async (page) => {
    await choose(page, 'API list');
    await drawn(page);
  }),
  'fine-tuning variable': variable((page) => page.getByRole('heading', { name: /^[1-9]\d* values$/ }).waitFor()),
  'variable of a list': variable(async (page) => {
    await choose(page, 'Main API');
    await choose(page, 'API list');
    await page.getByRole('combobox', { name: 'Ready-made list' }).click();
    await page.getByRole('option', { name: /^VM instances/ }).click();
    const nodes = page.getByText(/^gpu-node-\d{4}$/);
    await nodes.first().waitFor();
  }),
};

/** The rules of WCAG 2.1, A and AA. The others are about whole pages, which are Grafana's. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/**
 * What is wrong in Grafana's own packages: two selects of the builder's label filters have no label, and the third, the
 * operator, has a placeholder that is too pale in the light theme. It can't be set right from here.
 */
const GRAFANAS = [
  /^label: <input [^>]*id="prometheus-dimension/,
  /^color-contrast: <input [^>]*aria-label="Label filter operato/,
];

const isOurs = (violation: string) => !GRAFANAS.some((known) => known.test(violation));

async function open(page: Page, { view, open: arrange }: Editor, theme = 'light') {
  await page.goto(`/?theme=${theme}#/${view}`);
  await arrange(page);
}

for (const [name, editor] of Object.entries(editors)) {
  test(`the ${name} is accessible, and fits a narrow window`, async ({ page }) => {
    await open(page, editor);

    await expectNoViolations(page, editor.part);
    await expectToFit(page, editor.narrowest ?? 0);
  });
}

test('an editor is accessible in the dark theme', async ({ page }) => {
  const editor = editors['list query'];
  await open(page, editor, 'dark');

  await expectNoViolations(page, editor.part);
});

async function expectNoViolations(page: Page, part: string) {
  const { violations } = await new AxeBuilder({ page }).include(part).withTags(WCAG).analyze();
  const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));

  expect.soft(found.filter(isOurs)).toEqual([]);
}

async function expectToFit(page: Page, narrowest: number) {
  const size = page.viewportSize();
  for (const width of NARROW.filter((one) => one >= narrowest)) {
    await page.setViewportSize({ width, height: 900 });
    await expect(async () => expect(await wider(page), `at ${width} pixels`).toEqual([])).toPass({ timeout: 5000 });
  }
  await page.setViewportSize(size!);
}

/** What makes a page wider than its window. */
function wider(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const edge = window.innerWidth;
    if (document.documentElement.scrollWidth <= edge) {
      return [];
    }
    const all = [...document.querySelectorAll('#root *')];
    return all
      .filter((one) => one.childElementCount === 0 && one.getBoundingClientRect().right > edge)
      .map((one) => one.outerHTML.slice(0, 200));
  });
}
