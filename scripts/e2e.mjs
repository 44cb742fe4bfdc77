// The end-to-end tests, in a Grafana that this starts: `npm run e2e -- --grafana [PATH]`. Without the option, in the one
// that GRAFANA_URL names, beside the simulator with all incidents that SIMULATOR_URL names. Other options are Playwright's.
import { buildAll } from './lib/builds.mjs';
import { runOnTerminal } from './lib/command.mjs';
import { grafanaOption, startGrafana } from './lib/grafana.mjs';
import { main, step } from './lib/progress.mjs';

async function e2e() {
  const { grafana, rest } = grafanaOption(process.argv.slice(2));
  if (!grafana) {
    return runOnTerminal('playwright', ['test', ...rest]);
  }
  await buildAll();
  // Some tests look for incidents on dashboards.
  const simulatorArgs = ['-incident', 'all'];
  const stack = await step(`Grafana started (${grafana.program})`, () => startGrafana(grafana, { simulatorArgs }));
  try {
    const env = { GRAFANA_URL: stack.grafanaUrl, SIMULATOR_URL: stack.simulatorUrl };
    return await runOnTerminal('playwright', ['test', ...rest], env);
  } finally {
    await stack.stop();
  }
}

await main(e2e);
