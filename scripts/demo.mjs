// Builds the plugin and shows it in a browser, without Grafana: `npm run demo`. In a Grafana that is on this machine:
// `npm run demo -- --grafana [PATH]`; in a container's: `npm run demo -- --docker`.
import { buildBackend, buildFrontEnd, buildPages, buildPlatform, buildPrograms, host } from './lib/builds.mjs';
import { run, runOnTerminal } from './lib/command.mjs';
import { grafanaOption, startGrafana } from './lib/grafana.mjs';
import { main, since, step } from './lib/progress.mjs';
import { startStack } from './lib/stack.mjs';

const PORT = 3100;

async function demo() {
  const start = Date.now();
  const { grafana, rest } = grafanaOption(process.argv.slice(2));
  if (rest.includes('--docker')) {
    return runInDocker();
  }
  await Promise.all([grafana ? buildFrontEnd() : buildPages(), grafana ? buildPlatform() : buildPrograms()]);
  const stack = grafana
    ? await step(`Grafana started (${grafana.program})`, () => startGrafana(grafana, { anonymous: true }))
    : await step('Simulator and preview started', () => startStack({ port: PORT }));
  console.log(`
  ${grafana ? 'Grafana           ' : 'GPU Cloud preview '}  ${stack.grafanaUrl ?? stack.previewUrl}
  Simulated platform  ${stack.simulatorUrl}

  Ready after ${since(start)}. Ctrl-C stops it.
`);
  const reason = await Promise.race([interrupted(), stack.ended]);
  if (reason) {
    console.log(reason);
  }
  await stack.stop();
  console.log('Stopped.');
  return reason ? 1 : 0;
}

/** Runs the demo in the Grafana of a container until it is stopped. Returns the exit code. */
async function runInDocker() {
  if ((await run('docker', ['compose', 'ps'])).code !== 0) {
    throw new Error('Docker or its plugin compose is missing here, or is not running: see `docker compose ps`.');
  }
  await buildFrontEnd();
  await buildBackend({ os: 'linux', arch: host.arch });
  console.log('\nGrafana will be at http://localhost:3000. Ctrl-C stops it.\n');
  return runOnTerminal('docker', ['compose', 'up', '--build']);
}

/** Resolves on Ctrl-C and on SIGTERM, without a reason. */
function interrupted() {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(undefined));
    process.once('SIGTERM', () => resolve(undefined));
  });
}

await main(demo);
