// Builds the backend and measures it: `npm run bench`. Options go to the bench: `npm run bench -- -rounds 30`. What a person
// waits for in a Grafana comes first if there is one: at GRAFANA_URL, or started by this with `--grafana [PATH]`.
import { backendBinary, buildBackend, buildFrontEnd, buildSimulator, host } from './lib/builds.mjs';
import { runOnTerminal } from './lib/command.mjs';
import { goEnv } from './lib/go.mjs';
import { startGrafana } from './lib/grafana.mjs';
import { grafanaOption } from './lib/grafanaOption.mjs';
import { main, step } from './lib/progress.mjs';

/** Port of a Grafana that is started, so that it is not in the way of another. */
const PORT = 3100;

async function bench() {
  const { grafana, rest } = grafanaOption(process.argv.slice(2));
  await buildBackend(host);
  if (!grafana) {
    return run(rest, {});
  }
  await buildFrontEnd();
  await buildSimulator();
  const started = await step(`Grafana started (${grafana.program})`, () =>
    startGrafana(grafana, { port: PORT, provisioned: false })
  );
  try {
    return await run(rest, { GRAFANA_URL: started.grafanaUrl });
  } finally {
    await started.stop();
  }
}

/** Runs the bench with the flags of what ships, which is what is measured, and returns its exit code. */
function run(args, env) {
  return runOnTerminal('go', ['run', './bench', '-backend', backendBinary(host), ...args], { ...goEnv, ...env });
}

await main(bench);
