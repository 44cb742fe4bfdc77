import { expect, test } from '@grafana/plugin-e2e';
import type { Page } from '@playwright/test';
import { selectors } from '@grafana/e2e-selectors';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Variable {
  name: string;
  label?: string;
  type: string;
  includeAll?: boolean;
  /** 2 hides the whole variable, and 3 puts it into the menu of controls. */
  hide?: number;
}

interface Dashboard {
  uid: string;
  title: string;
  templating: { list: Variable[] };
  panels: Array<{ gridPos: { y: number; h: number } }>;
}

// Playwright runs tests as CommonJS, the scripts are ES modules: hence no `import` statement.
const browserScripts = import('../../scripts/screenshots/browser.mjs');

const FOLDER = join(__dirname, '..', '..', 'dist', 'dashboards');
const DASHBOARDS = readdirSync(FOLDER).map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Dashboard);

/** Of the grid that panels lie on, and of what is above it, in pixels: panels below the window send no query. */
const GRID_ROW = 38;
const FRAME = 300;

/** Variables of jobs and runs. One that is not there is an error, which names it. */
const NAMED = ['job', 'run', 'runs', 'baseline'];

test.describe('Dashboards', () => {
  for (const dashboard of DASHBOARDS) {
    const chosen = dashboard.templating.list.filter(({ type, hide }) => type === 'query' && hide !== 2);

    test(`${dashboard.title} has results for all values of its variables`, async ({ page }) => {
      const all = chosen.filter(({ includeAll }) => includeAll);
      const drawn = await open(page, dashboard, setting(all, '$__all'));
      await drawn();
      await expectResults(page);
    });

    if (chosen.length > 0) {
      test(`${dashboard.title} has results for one value of each variable`, async ({ page }) => {
        test.slow();
        const drawn = await open(page, dashboard, {});
        await drawn();
        for (const { label } of chosen.filter(({ hide }) => hide !== 3)) {
          await chooseFirst(page, label!);
          await drawn();
        }
        await expectResults(page);
      });
    }

    const others = chosen.filter(({ name }) => !NAMED.includes(name));
    if (others.length > 0) {
      test(`${dashboard.title} says that nothing matches a value`, async ({ page }) => {
        const drawn = await open(page, dashboard, setting(others, 'no_such_value'));
        await drawn();
        await expectResults(page);
      });
    }
  }

  test('fail, and do not say that there is nothing, where the lists of their variables do', async ({ page }) => {
    await page.route(/\/resources\/api\/v1\//, (route) =>
      route.fulfill({ status: 503, json: { message: 'Unavailable' } })
    );
    const network = DASHBOARDS.find(({ uid }) => uid === 'gpucloud-network')!;
    const drawn = await open(page, network, {});
    await drawn();
    const { content, status } = selectors.components.Panels.Panel;
    const panels = await page.getByTestId(content).count();
    expect(panels).toBeGreaterThan(4);
    await expect(page.getByTestId(status('error'))).toHaveCount(panels);
  });
});

const setting = (variables: Variable[], value: string) =>
  Object.fromEntries(variables.map(({ name }) => [`var-${name}`, value]));

/** Opens a dashboard in a window that is as high as it, and returns a function that waits until all panels are drawn. */
async function open(page: Page, { uid, panels }: Dashboard, parameters: Record<string, string>) {
  const rows = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  await page.setViewportSize({ width: 1600, height: rows * GRID_ROW + FRAME });
  const { untilDrawn } = await browserScripts;
  const drawn = untilDrawn(page);
  await page.goto(`/d/${uid}?${new URLSearchParams({ from: 'now-6h', to: 'now', ...parameters })}`);
  return drawn;
}

/** Expects that no panel failed, is empty without a sentence, or shows what is meant for programs. */
async function expectResults(page: Page) {
  await expect(page.getByTestId(selectors.components.Panels.Panel.status('error'))).toHaveCount(0);
  await expect(page.getByTestId(selectors.components.Panels.Panel.content).first()).toBeVisible();
  for (const text of ['No data', 'NaN', 'undefined', '$__all', '{{', '[object Object]']) {
    const shown = page.getByTestId(selectors.components.Panels.Panel.content).getByText(text, { exact: true });
    // “No data” is a cause of GPU time: names of series in legends are buttons.
    await expect(shown.and(page.locator(':not(button)'))).toHaveCount(0);
  }
  // A table of titles above nothing doesn't say what its panel says of no data.
  for (const grid of await page.getByRole('grid').all()) {
    await expect(grid.getByRole('gridcell').first()).toBeAttached();
  }
}

/** Chooses the first value of a variable that is not “All”, if what is chosen elsewhere leaves one. */
async function chooseFirst(page: Page, label: string) {
  const name = page.getByTestId(selectors.pages.Dashboard.SubMenu.submenuItemLabels(label));
  await name.locator('xpath=following-sibling::*').getByRole('combobox').click();
  const options = page.getByRole('option').filter({ hasNotText: /^(All|Selected \(\d+\))$/ });
  await expect(page.getByRole('option').first()).toBeVisible();
  if ((await options.count()) > 0) {
    await options.first().click();
  }
  await page.keyboard.press('Escape');
}
