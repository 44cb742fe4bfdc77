// The end-to-end tests, in a Grafana that this starts: `npm run e2e -- --grafana [PATH]`. Without the option, in the one
// that GRAFANA_URL names, beside the simulator with all incidents that SIMULATOR_URL names. Other options are Playwright's.
import { join } from 'node:path';
import { buildAll } from './lib/builds.mjs';
import { runOnTerminal } from './lib/command.mjs';
import { grafanaOption, startGrafana } from './lib/grafana.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';

async function e2e() {
  const { grafana, rest } = grafanaOption(process.argv.slice(2));
  if (!grafana) {
    return playwright(rest, {});
  }
  await buildAll();
  // Some tests look for incidents on dashboards.
  const simulatorArgs = ['-incident', 'all'];
  const stack = await step(`Grafana started (${grafana.program})`, () => startGrafana(grafana, { simulatorArgs }));
  try {
    return await playwright(rest, { GRAFANA_URL: stack.grafanaUrl, SIMULATOR_URL: stack.simulatorUrl });
  } finally {
    await stack.stop();
  }
}

/** Runs Playwright on this terminal, and returns its exit code. */
function playwright(args, env) {
  return runOnTerminal(
    process.execPath,
    [join(root, 'node_modules', '@playwright', 'test', 'cli.js'), 'test', ...args],
    env
  );
}

await main(e2e);
