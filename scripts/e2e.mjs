// The end-to-end tests and the scenes, in a Grafana that this starts: `npm run e2e -- --grafana [PATH]`. Without the option, the tests
// run in the one that GRAFANA_URL names, beside the simulator with all incidents that SIMULATOR_URL names. Other options are Playwright's.
import { buildAll } from './lib/builds.mjs';
import { runOnTerminal } from './lib/command.mjs';
import { BACKEND_TAGS, goEnv } from './lib/go.mjs';
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
    const browser = await runOnTerminal('playwright', ['test', ...rest], env);
    if (rest.length > 0) {
      return browser;
    }
    // They are served on loopback, which a Grafana in a container doesn't reach.
    const scenes = ['-tags', `${BACKEND_TAGS},grafana`, '-run', 'TestScenes_Grafana', './tests/scenes'];
    return (await runOnTerminal('go', ['test', '-vet=off', '-count=1', ...scenes], { ...goEnv, ...env })) || browser;
  } finally {
    await stack.stop();
  }
}

await main(e2e);
