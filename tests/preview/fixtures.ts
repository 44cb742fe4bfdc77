import { expect, type Page, test as base } from '@playwright/test';

// Playwright runs tests as CommonJS, the scripts are ES modules: hence no `import` statement.
const scripts = import('../../scripts/lib/stack.mjs');

type Stack = Awaited<ReturnType<Awaited<typeof scripts>['startStack']>>;

interface Watch {
  /** Says that requests to matching addresses may be answered with an error status in this test. */
  expectErrorFrom: (url: RegExp) => void;
}

interface Fixtures {
  /** A simulator and a preview of this test's own. */
  stack: Stack;
  /** Fails the test when the page logs an error, throws, loses a request, or talks to anyone but its own host. */
  watch: Watch;
}

export const test = base.extend<Fixtures>({
  stack: async ({}, provide) => {
    const { startStack } = await scripts;
    const stack = await startStack();
    await provide(stack);
    await stack.stop();
  },

  baseURL: async ({ stack }, provide) => provide(stack.previewUrl),

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

/** The nodes that the legend of the graph names. */
export function legendEntries(page: Page) {
  return page.getByTestId('data-testid viz-layout-legend').getByText(/gpu-node-\d{4}/);
}

function collectErrors(page: Page, origin: string, expected: RegExp[]): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    // What a server answered is looked at below, with its address.
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
