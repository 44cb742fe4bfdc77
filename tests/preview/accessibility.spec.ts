import AxeBuilder from '@axe-core/playwright';
import { type Page } from '@playwright/test';
import { expect, test } from './fixtures';

const NARROW = { width: 600, height: 900 };

interface Editor {
  /** The part of the page that is the plugin's. */
  part: string;
  open: (page: Page) => Promise<void>;
}

const QUERY = 'section[aria-label="Query A"]';

/** The plugin's editors, and how to get to them. */
const editors: Record<string, Editor> = {
  settings: {
    part: 'form',
    open: async (page) => {
      await page.goto(address(page, 'config'));
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
  catalogue: {
    part: '[role="dialog"]',
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await page.getByRole('button', { name: 'Catalogue' }).click();
      await page.getByRole('region', { name: 'GPU', exact: true }).waitFor();
    },
  },
  'fine-tuning query': {
    part: QUERY,
    open: async (page) => {
      await page.goto(address(page, 'query'));
      await page.getByRole('radio', { name: 'Fine-tuning' }).check({ force: true });
      await page
        .getByRole('link', { name: /^ftjob-/ })
        .first()
        .waitFor();
    },
  },
  annotation: {
    part: 'section[aria-label="Annotation"]',
    open: async (page) => {
      await page.goto(address(page, 'annotation'));
      await page.getByRole('list', { name: 'What would be drawn' }).getByRole('listitem').first().waitFor();
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
const address = (page: Page, view: string) => `/?theme=${themes.get(page)}#/${view}`;

for (const theme of ['light', 'dark'] as const) {
  for (const [name, { open, part }] of Object.entries(editors)) {
    test(`the ${name} has no accessibility violations, ${theme}`, async ({ page }) => {
      themes.set(page, theme);
      await open(page);

      const { violations } = await new AxeBuilder({ page }).include(part).withTags(WCAG).analyze();

      expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)).filter(isOurs)).toEqual(
        []
      );
    });
  }
}

for (const [name, { open }] of Object.entries(editors)) {
  test(`the ${name} fits a narrow window`, async ({ page }) => {
    themes.set(page, 'light');
    await page.setViewportSize(NARROW);
    await open(page);

    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

    expect(overflow).toBeLessThanOrEqual(0);
  });
}
