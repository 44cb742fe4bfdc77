import { findChromium } from '../lib/chromium.mjs';

/** How long no query may have been under way for a page to count as drawn, in milliseconds. */
const QUIET = 2500;

/**
 * A browser that is signed in to a Grafana.
 *
 * @param {string} address
 * @param {{ user?: string, password?: string }} login without a user, Grafana has to allow anonymous access
 * @returns `open` opens a page of Grafana, in a theme, in a window of a size
 */
export async function startBrowser(address, { user, password }) {
  const { chromium } = await import('playwright');
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const context = await browser.newContext({ baseURL: address, timezoneId: 'UTC' });
  await context.addInitScript(() => localStorage.setItem('grafana.navigation.docked', 'false'));
  if (user) {
    const response = await context.request.post('/login', { data: { user, password } });
    if (!response.ok()) {
      await browser.close();
      throw new Error(`Grafana refuses the login of ${user}: ${response.status()}.`);
    }
  }
  const open = async (path, theme, size) => {
    const page = await context.newPage();
    await page.setViewportSize(size);
    const drawn = untilDrawn(page);
    await page.goto(`${path}${path.includes('?') ? '&' : '?'}theme=${theme}`);
    await page.mouse.move(0, 0);
    return { page, drawn };
  };
  return { open, close: () => browser.close() };
}

/**
 * Returns a function that waits until queries were sent and none has been under way for a while.
 *
 * @param {import('playwright').Page} page
 */
export function untilDrawn(page) {
  const open = new Set();
  let last = 0;
  page.on('request', (request) => {
    if (/\/api\/(ds\/query|datasources\/)/.test(request.url())) {
      open.add(request);
      last = Date.now();
    }
  });
  const end = (request) => open.delete(request) && (last = Date.now());
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  return async () => {
    while (last === 0 || open.size > 0 || Date.now() - last < QUIET) {
      await page.waitForTimeout(200);
    }
  };
}
