import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results/bench',
  reporter: 'list',
  use: {
    baseURL: process.env.GRAFANA_URL,
    extraHTTPHeaders: { Authorization: `Basic ${btoa('admin:admin')}` },
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
});
