// Makes the pictures of the documentation in a real Grafana:
//
//   npm run screenshots -- --grafana [PATH]            all of them, in a Grafana of this machine
//   npm run screenshots -- --grafana [PATH] config     those of editors and settings that are named
//   GRAFANA_URL=http://… npm run screenshots           in the Grafana at that address, whose data source is provisioned
//
// It signs in with GRAFANA_USER and GRAFANA_PASSWORD if they are set. Dashboards alone, to look at a change:
//
//   … --look <part of a uid> [--look …] --out <folder> [--whole] [--theme light] [--width 1280] [--range 30d]
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAll } from './lib/builds.mjs';
import { grafanaOption, startGrafana } from './lib/grafana.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';
import { startBrowser } from './screenshots/browser.mjs';
import { screenshotDashboards } from './screenshots/dashboards.mjs';
import { screenshotEditors } from './screenshots/editors.mjs';

async function screenshots() {
  const { grafana, rest } = grafanaOption(process.argv.slice(2));
  const { positionals: names, values } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: {
      look: { type: 'string', multiple: true, default: [] },
      out: { type: 'string', default: join(root, 'docs', 'img', 'dashboards') },
      whole: { type: 'boolean' },
      theme: { type: 'string', default: 'dark' },
      width: { type: 'string', default: '1600' },
      range: { type: 'string' },
    },
  });
  const { grafanaUrl, user, password, stop } = grafana ? await start(grafana) : fromEnvironment();
  const browser = await startBrowser(grafanaUrl, { user, password });
  try {
    if (values.look.length === 0) {
      await screenshotEditors(browser, names);
    }
    if (names.length === 0) {
      const { look: parts, out, width, ...options } = values;
      await screenshotDashboards(browser, { ...options, parts, folder: resolve(out), width: Number(width) });
    }
  } finally {
    await browser.close();
    await stop();
  }
}

async function start(grafana) {
  await buildAll();
  // What the dashboards look for, without what stops the training of whole node pools.
  const simulatorArgs = ['-incident', 'congestion,bad-training'];
  const stack = await step(`Grafana started (${grafana.program})`, () => startGrafana(grafana, { simulatorArgs }));
  return { ...stack, user: 'admin', password: 'admin' };
}

function fromEnvironment() {
  const { GRAFANA_URL, GRAFANA_USER, GRAFANA_PASSWORD } = process.env;
  if (!GRAFANA_URL) {
    throw new Error('Name a Grafana: --grafana [PATH], or GRAFANA_URL.');
  }
  return { grafanaUrl: GRAFANA_URL, user: GRAFANA_USER, password: GRAFANA_PASSWORD, stop: async () => {} };
}

await main(screenshots);
