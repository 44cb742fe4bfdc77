import AxeBuilder from '@axe-core/playwright';
import { type Locator, type Page } from '@playwright/test';
import { expect, test } from './fixtures';

/** From a phone's width to half a window's. */
const NARROW = [360, 480, 600];

interface Editor {
  /** The part of the page that is the plugin's. */
  part: string;
  open: (page: Page) => Promise<void>;
  /** Narrower windows are not tried. */
  narrowest?: number;
}

const QUERY = 'section[aria-label="Query A"]';
const ANNOTATION = 'section[aria-label="Annotation"]';
const VARIABLE = 'section[aria-label="Variable"]';

/** The plugin's editors, and how to get to them. */
const editors: Record<string, Editor> = {
  settings: {
    part: 'form',
    // The fields of Grafana's own Prometheus settings have a width.
    narrowest: 600,
    open: async (page) => {
      await page.goto(address(page, 'config'));
      await page.getByRole('button', { name: 'Expand section Prices' }).click();
      await page.getByRole('button', { name: 'Add model' }).click();
      await page.getByRole('button', { name: 'Expand section Advanced' }).click();
    },
  },
  'PromQL query': {
    part: QUERY,
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await page.getByRole('radio', { name: 'Builder' }).waitFor();
    },
  },
  catalog: {
    part: '[role="dialog"]',
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await page.getByRole('button', { name: 'Catalog' }).click();
      await page.getByRole('region', { name: 'GPU', exact: true }).waitFor();
    },
  },
  'fine-tuning query': {
    part: QUERY,
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await pick(page, 'Fine-tuning');
      await page
        .getByRole('link', { name: /^ftjob-/ })
        .first()
        .waitFor();
    },
  },
  'comparison of runs': {
    part: QUERY,
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await pick(page, 'Runs');
      await page.getByRole('combobox', { name: /^Baseline/ }).click();
      await page.getByRole('option').first().click();
      await page.getByRole('radio', { name: 'Difference' }).waitFor();
    },
  },
  'measures of runs by hand': {
    part: QUERY,
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await pick(page, 'Runs');
      await pick(page, 'Measures');
      await pick(page, 'By hand');
      await page.getByRole('button', { name: 'Add run' }).press('Enter');
      await page.getByRole('button', { name: /^Options/ }).press('Enter');
      await page.getByRole('button', { name: 'Add measure' }).press('Enter');
    },
  },
  'capacities query': {
    part: QUERY,
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await pick(page, 'Main API');
      await page.getByRole('gridcell').first().waitFor();
    },
  },
  'list query': {
    part: QUERY,
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await pick(page, 'Main API');
      await pick(page, 'API list');
      await page.getByRole('columnheader', { name: 'limit' }).waitFor();
      await page.getByRole('button', { name: /^Options/ }).press('Enter');
      await page.getByRole('button', { name: 'Add parameter' }).press('Enter');
    },
  },
  help: {
    part: 'section[aria-label="Help"]',
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await page.getByRole('button', { name: 'Show data source help' }).press('Enter');
      await page.getByRole('heading', { name: 'Fine-tuning' }).waitFor();
    },
  },
  annotation: {
    part: ANNOTATION,
    open: async (page) => {
      await page.goto(address(page, 'annotation'));
      await page.getByRole('list', { name: 'What would be drawn' }).getByRole('listitem').first().waitFor();
    },
  },
  'annotation of a list': {
    part: ANNOTATION,
    open: async (page) => {
      await page.goto(address(page, 'annotation'));
      await pick(page, 'API list');
      await page.getByRole('list', { name: 'What would be drawn' }).getByRole('listitem').first().waitFor();
    },
  },
  'fine-tuning variable': {
    part: VARIABLE,
    open: async (page) => {
      await page.goto(address(page, 'variable'));
      await page.getByRole('heading', { name: /^\d+ values$/ }).waitFor();
    },
  },
  'variable of a list': {
    part: VARIABLE,
    open: async (page) => {
      await page.goto(address(page, 'variable'));
      await pick(page, 'Main API');
      await pick(page, 'API list');
      await page.getByRole('combobox', { name: 'Ready-made list' }).click();
      await page.getByRole('option', { name: /^VM instances/ }).click();
      await page
        .getByText(/^gpu-node-\d{4}$/)
        .first()
        .waitFor();
    },
  },
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

const themes = new WeakMap<Page, string>();
const address = (page: Page, view: string) => `/?theme=${themes.get(page) ?? 'light'}#/${view}`;

for (const [name, { open, part, narrowest = 0 }] of Object.entries(editors)) {
  test(`the ${name} is accessible, and fits a narrow window`, async ({ page }) => {
    await open(page);

    await expectNoViolations(page, part);
    await expectToFit(page, narrowest);
  });
}

test('an editor is accessible in the dark theme', async ({ page }) => {
  themes.set(page, 'dark');
  const { open, part } = editors['list query'];
  await open(page);

  await expectNoViolations(page, part);
});

test('an editor is reached by the Tab key, all of it', async ({ page }) => {
  test.slow(); // a key press for each control, and a look where it led
  const { open, part } = editors['list query'];
  await open(page);

  await expectReachedByTab(page.locator(part));
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

async function expectReachedByTab(editor: Locator) {
  const page = editor.page();
  const wanted = await markControls(editor);
  expect(wanted.length, 'controls').toBeGreaterThan(2);
  const reached = new Set<string>();
  for (let presses = 0; presses < 2 * wanted.length && reached.size < wanted.length; presses++) {
    await page.keyboard.press('Tab');
    const control = await page.evaluate(() => document.activeElement?.getAttribute('data-control'));
    if (control) {
      reached.add(control);
    }
  }

  expect(wanted.filter((control) => !reached.has(control))).toEqual([]);
}

/**
 * Marks what somebody can use in an editor, and gives the focus to what is before it. Returns the marks, of which the
 * buttons of one choice have the same one: the arrow keys lead from one to the other.
 */
function markControls(editor: Locator): Promise<string[]> {
  return editor.evaluate((element) => {
    const all = element.querySelectorAll<HTMLElement>('input, button, select, textarea, a[href], [role="button"]');
    const used = [...all].filter((one) => one.tabIndex >= 0 && !one.matches(':disabled') && one.checkVisibility());
    const marks = used.map((one, index) => {
      const group = one instanceof HTMLInputElement && one.type === 'radio' ? one.name : '';
      return group ? `choice ${group}` : `${index}: ${one.outerHTML.slice(0, 200)}`;
    });
    used.forEach((one, index) => one.setAttribute('data-control', marks[index]));
    element.setAttribute('tabindex', '-1');
    (element as HTMLElement).focus();
    return [...new Set(marks)];
  });
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

/** Chooses by keyboard: a tooltip of the row above may hide an option from the mouse. */
async function pick(page: Page, option: string) {
  await page.getByRole('radio', { name: option, exact: true }).press('Space');
}
