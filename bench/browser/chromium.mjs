import { findChromium } from '../../scripts/lib/chromium.mjs';

const size = { width: 1600, height: 1100 };

/**
 * Chromium, for pages that are signed in to a Grafana.
 *
 * @param {{ address: string, user: string, password: string }} grafana
 */
export async function startChromium({ address, user, password }) {
  const { chromium } = await import('playwright');
  const browser = await chromium.launch({
    executablePath: await findChromium((line) => console.error(line)),
    // Exact sizes of the heap, and no sandbox where it does not work: as root.
    args: ['--enable-precise-memory-info', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  const signedIn = await browser.newContext({ baseURL: address });
  const login = await signedIn.request.post('/login', { data: { user, password } });
  if (!login.ok()) {
    await browser.close();
    throw new Error(`Grafana refuses the login of ${user}: ${login.status()}.`);
  }
  const storageState = await signedIn.storageState();

  /**
   * A page of a new browser profile, whose caches are empty.
   *
   * @param {{ shift?: number }} [options] by how many milliseconds the page's clock is ahead; it can be set with `setShift`
   */
  async function newPage({ shift = 0 } = {}) {
    const context = await browser.newContext({ baseURL: address, timezoneId: 'UTC', viewport: size, storageState });
    await context.addInitScript(() => localStorage.setItem('grafana.navigation.docked', 'false'));
    if (shift !== 0) {
      await context.addInitScript(shiftClock, shift);
    }
    return context.newPage();
  }

  /** Saves the data source as it is, upon which Grafana's backend begins with empty caches. */
  async function emptyCaches({ datasource }) {
    const path = `/api/datasources/uid/${datasource}`;
    const settings = await (await signedIn.request.get(path)).json();
    const saved = await signedIn.request.put(path, { data: settings });
    if (!saved.ok()) {
      throw new Error(`Grafana does not save ${datasource}: ${saved.status()}.`);
    }
  }

  return { newPage, emptyCaches, close: () => browser.close() };
}

/** Runs in the page: its clock is ahead by `window.clockShift` milliseconds. Timers are not affected. */
function shiftClock(shift) {
  window.clockShift = shift;
  const RealDate = Date;
  window.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) {
        super(RealDate.now() + window.clockShift);
      } else {
        super(...parts);
      }
    }

    static now() {
      return RealDate.now() + window.clockShift;
    }
  };
}
