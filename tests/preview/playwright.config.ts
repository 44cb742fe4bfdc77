import { defineConfig, devices } from '@playwright/test';
import { type PageOptions } from './fixtures';

const react19 = { pageDir: 'preview/react19/dist' };

/**
 * Browser tests of the plugin without Grafana: the built front end and the built backend in the preview, on a
 * simulated platform. `npm test` builds all of it first, and names a Chromium in CHROMIUM_PATH.
 */
export default defineConfig<object, PageOptions>({
  testDir: '.',
  outputDir: '../../test-results/preview',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  retries: process.env.CI ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  projects: [
    { name: 'React 18', use: { pageDir: 'preview/dist' } },
    { name: 'React 19', use: react19 },
    { name: 'React 19, some', use: react19, grep: /@smoke/ },
  ],
  use: {
    ...devices['Desktop Chrome'],
    // What fails is tried again in CI, and traced then: traces take a good part of the processor time.
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      // Chromium's sandbox does not work as root, and containers run as root.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
});
