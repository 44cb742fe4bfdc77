/** The panel whose query is edited, a title that is on no other panel. */
const PANEL = 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)';

/** How far apart keys are pressed, in milliseconds: the editor drops letters that come at once. */
const KEY_DELAY = 25;

const editorOf = (page) => page.getByTestId('data-testid Query field').locator('.monaco-editor').first();

/**
 * Edits a panel of a dashboard that is open, as a person does: by pressing e over it.
 *
 * @param {import('playwright').Page} page
 * @returns milliseconds until the panel's query can be edited
 */
export async function openEditor(page) {
  await page.getByRole('heading', { name: PANEL, exact: true }).hover();
  const start = performance.now();
  await page.keyboard.press('e');
  await editorOf(page).locator('.view-line').filter({ hasText: 'DCGM_FI_DEV_GPU_UTIL' }).first().waitFor();
  return performance.now() - start;
}

/**
 * Replaces the query by some letters of a metric's name.
 *
 * @returns milliseconds from the first key until the metric is offered
 */
export async function typeToCompletion(page, letters, metric) {
  await editorOf(page).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  const start = performance.now();
  await page.keyboard.type(letters, { delay: KEY_DELAY });
  await page.locator('.suggest-widget.visible .monaco-list-row').filter({ hasText: metric }).first().waitFor();
  const took = performance.now() - start;
  await page.keyboard.press('Escape');
  return took;
}
