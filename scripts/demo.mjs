// Builds the plugin and shows it in a browser, without Grafana: `npm run demo`.
// With `--grafana`, in a real Grafana by docker compose: `npm run demo -- --grafana`.
import { bootstrap } from './lib/bootstrap.mjs';
import { buildAll } from './lib/builds.mjs';
import { runGrafana } from './lib/grafana.mjs';
import { main, since, step } from './lib/progress.mjs';
import { startStack } from './lib/stack.mjs';

const PORT = 3100;

async function demo() {
  const start = Date.now();
  await bootstrap();
  if (process.argv.includes('--grafana')) {
    return runGrafana();
  }
  await buildAll();
  const stack = await step('Simulator and preview started', () => startStack({ port: PORT }));
  console.log(`
  GPU Cloud preview   ${stack.previewUrl}
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

/** Resolves, with no reason, when the user has had enough. */
function interrupted() {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(undefined));
    process.once('SIGTERM', () => resolve(undefined));
  });
}

await main(demo);
