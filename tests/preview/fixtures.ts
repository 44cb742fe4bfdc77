import { type BrowserContext, devices, expect, type Page, test as base } from '@playwright/test';

// Playwright runs tests as CommonJS, the scripts are ES modules: hence no `import` statement.
const scripts = import('../../scripts/lib/stack.mjs');

type Stack = Awaited<ReturnType<Awaited<typeof scripts>['startStack']>>;

interface Watch {
  /** Says that requests to matching addresses may have an error status in this test. */
  expectErrorFrom: (url: RegExp) => void;
}

interface Fixtures {
  /** The simulator and the preview that the test uses. */
  stack: Stack;
  /** Fails the test when the page logs an error, throws, loses a request, or talks to anyone but its own host. */
  watch: Watch;
}

export interface PageOptions {
  /** The folder of the built preview page, relative to the repository. */
  pageDir: string;
}

interface WorkerFixtures extends PageOptions {
  /** A simulator and a preview for all tests of a worker. */
  sharedStack: Stack;
  /** A context for all tests of a worker: loading and compiling Grafana's packages anew takes a third of a test. */
  sharedContext: BrowserContext;
}

/** No test changes what another sees: all of a worker share a stack, and what the browser has cached of it. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  pageDir: ['preview/dist', { scope: 'worker', option: true }],

  sharedStack: [async ({ pageDir }, provide) => withStack(pageDir, provide), { scope: 'worker' }],

  stack: async ({ sharedStack }, provide) => provide(sharedStack),

  sharedContext: [
    async ({ browser, sharedStack }, provide) => {
      const context = await browser.newContext({ ...devices['Desktop Chrome'], baseURL: sharedStack.previewUrl });
      await context.addInitScript(() => localStorage.clear());
      await provide(context);
      await context.close();
    },
    { scope: 'worker' },
  ],

  context: async ({ sharedContext }, provide) => provide(sharedContext),

  page: async ({ context, viewport }, provide) => {
    const page = await context.newPage();
    await page.setViewportSize(viewport!);
    await provide(page);
    await page.close();
  },

  watch: [
    async ({ page, stack }, provide) => {
      const expected: RegExp[] = [];
      const errors = collectErrors(page, stack.previewUrl, expected);
      await provide({ expectErrorFrom: (url) => expected.push(url) });
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

async function withStack(pageDir: string, provide: (stack: Stack) => Promise<void>) {
  const { startStack } = await scripts;
  const stack = await startStack({ pageDir });
  try {
    await provide(stack);
  } finally {
    await stack.stop();
  }
}

/** Chooses by keyboard: a tooltip of the row above may hide an option from the mouse. */
export const choose = (page: Page, option: string) =>
  page.getByRole('radio', { name: option, exact: true }).press('Space');

/** The nodes that the legend of the graph names. */
export function legendEntries(page: Page) {
  return page.getByTestId('data-testid viz-layout-legend').getByText(/gpu-node-\d{4}/);
}

function collectErrors(page: Page, origin: string, expected: RegExp[]): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    // A server’s error response is looked at below, with its address.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      errors.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const { protocol } = new URL(request.url());
    if (protocol.startsWith('http') && !request.url().startsWith(`${origin}/`)) {
      errors.push(`another origin: ${request.url()}`);
    }
  });
  page.on('requestfailed', (request) => {
    // A query that a newer one has overtaken is cancelled on purpose.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') {
      errors.push(`lost: ${request.url()}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && !expected.some((url) => url.test(response.url()))) {
      errors.push(`${response.status()}: ${response.url()}`);
    }
  });
  return errors;
}
