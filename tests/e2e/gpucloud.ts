import { expect, type APIRequestContext, type Locator, type Page } from '@playwright/test';
import { selectors } from '@grafana/e2e-selectors';

/** The data source of `provisioning/datasources/gpucloud.yaml`. */
export const GPU_CLOUD = { name: 'GPU Cloud', uid: 'gpucloud', type: 'gpucloud-platform-datasource' } as const;

/** One series a node. */
export const UTILIZATION_BY_NODE = 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)';

/** Address under which Grafana passes requests to the data source's backend. */
export const resource = (path: string) => `/api/datasources/uid/${GPU_CLOUD.uid}/resources/${path}`;

/** Names of the nodes that report GPU utilization, as the data source itself lists them. */
export async function nodes(request: APIRequestContext): Promise<string[]> {
  const response = await request.get(resource('api/v1/label/instance/values'), {
    params: { 'match[]': 'DCGM_FI_DEV_GPU_UTIL' },
  });
  expect(response.status()).toBe(200);
  const { data } = (await response.json()) as { data: string[] };
  expect(data.length, 'nodes that report GPU utilization').toBeGreaterThan(0);
  return data;
}

/** Chooses one of a row of choices by keyboard: a tooltip of the row above may hide it from the mouse. */
export async function pick(within: Page | Locator, option: string) {
  const radio = within.getByRole('radio', { name: option, exact: true });
  // Grafana may be replacing the editor of the data source that was chosen before.
  await expect(() => radio.press('Space', { timeout: 2000 })).toPass();
}

/**
 * Types a PromQL expression into a query's code editor, as a person does: letter by letter, because the editor drops
 * letters that arrive at once, and with its list of suggestions closed at the end.
 *
 * The query has not been run afterwards.
 */
export async function typePromQL(page: Page, query: Page | Locator, expression: string) {
  const editor = query.getByTestId(selectors.components.QueryField.container);
  const code = query.getByRole('radio', { name: 'Code' });
  await expect(editor.or(code).first()).toBeAttached();
  if (!(await editor.isVisible())) {
    // Grafana may be replacing the editor of the data source that was chosen before.
    await expect(() => code.check({ force: true, timeout: 2000 })).toPass();
  }
  await expect(editor.getByRole('code')).toBeVisible();
  await editor.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type(expression, { delay: 25 });
  await page.keyboard.press('Escape');
  await expectPromQL(query, expression);
}

/** Expects a PromQL expression in a query's code editor, which writes its spaces as non-breaking ones. */
export async function expectPromQL(query: Page | Locator, expression: string) {
  const editor = query.getByTestId(selectors.components.QueryField.container);
  await expect(editor).toContainText(expression.replaceAll(' ', '\u00a0'));
}
