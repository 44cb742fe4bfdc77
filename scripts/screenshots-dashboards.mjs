// Makes the pictures of the dashboards in the documentation from any Grafana in which they are installed:
//
//   GRAFANA_URL=http://localhost:3000 npm run screenshots:dashboards
//
// Signs in with GRAFANA_USER and GRAFANA_PASSWORD where they are set. To look at dashboards instead, after a change:
//
//   … npm run screenshots:dashboards -- <part of a uid> … [--whole] [--theme=light] [--out=<folder>]
//
// A picture is as high as a screen; with --whole, as the dashboard.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findChromium } from './lib/chromium.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';

/** Those in the documentation. */
const DOCUMENTED = ['gpu-overview', 'cluster', 'node', 'fine-tuning', 'storage', 'capacity'].map(
  (name) => `gpucloud-${name}`
);

const WIDTH = 1600;
const HEIGHT = 860;

/** Of the grid that panels lie on, and of what is around it, in pixels. */
const GRID_ROW = 38;
const FRAME = 240;

/** How long no query may have been under way for a dashboard to count as drawn, in milliseconds. */
const QUIET = 2500;

async function screenshots() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      whole: { type: 'boolean' },
      theme: { type: 'string', default: 'dark' },
      out: { type: 'string', default: join(root, 'docs', 'img', 'dashboards') },
    },
  });
  const address = process.env.GRAFANA_URL;
  if (!address) {
    throw new Error('Set GRAFANA_URL to the address of a Grafana in which the dashboards are installed.');
  }
  await mkdir(values.out, { recursive: true });
  const { chromium } = await import('playwright');
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const context = await browser.newContext({ baseURL: address, timezoneId: 'UTC' });
    await signIn(context);
    await context.addInitScript(() => localStorage.setItem('grafana.navigation.docked', 'false'));
    for (const dashboard of await chosen(positionals)) {
      const file = `${dashboard.uid.replace(/^gpucloud-/, '')}.png`;
      await step(file, () => picture(context, dashboard, values.theme, values.whole, join(values.out, file)));
    }
  } finally {
    await browser.close();
  }
}

async function signIn(context) {
  const { GRAFANA_USER: user, GRAFANA_PASSWORD: password } = process.env;
  if (!user) {
    return;
  }
  const answer = await context.request.post('/login', { data: { user, password } });
  if (!answer.ok()) {
    throw new Error(`Grafana does not let ${user} in: ${answer.status()}.`);
  }
}

/** The plugin's dashboards whose uid contains one of the parts; those in the documentation, if there are none. */
async function chosen(parts) {
  const folder = join(root, 'src', 'dashboards');
  const files = (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8'));
  const dashboards = (await Promise.all(files)).map((text) => JSON.parse(text));
  return dashboards.filter(({ uid }) =>
    parts.length > 0 ? parts.some((part) => uid.includes(part)) : DOCUMENTED.includes(uid)
  );
}

async function picture(context, { uid, panels }, theme, isWhole, file) {
  const rows = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const page = await context.newPage();
  await page.setViewportSize({ width: WIDTH, height: isWhole ? rows * GRID_ROW + FRAME : HEIGHT });
  const quiet = untilQuiet(page);
  await page.goto(`/d/${uid}?theme=${theme}`);
  await page.mouse.move(0, 0);
  await quiet();
  await page.screenshot({ path: file });
  await page.close();
}

/** Returns a function that waits until queries have been asked, and none is under way any more. */
function untilQuiet(page) {
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

await main(screenshots);
