// Measures the backend with Go's benchmarks: `npm run bench`, or `npm run bench -- Wall` for some, with benchstat's input as output.
// In a Grafana that this starts, `npm run bench -- --grafana [PATH]` measures what a person waits for, and then loads it while the
// platform fails, for `--minutes` (5).
import { parseArgs } from 'node:util';
import { load } from '../bench/load.mjs';
import { buildAll } from './lib/builds.mjs';
import { findChromium } from './lib/chromium.mjs';
import { runOnTerminal } from './lib/command.mjs';
import { goEnv } from './lib/go.mjs';
import { grafanaOption, startGrafana } from './lib/grafana.mjs';
import { main, step } from './lib/progress.mjs';

async function bench() {
  const { grafana, rest } = grafanaOption(process.argv.slice(2));
  const { values, positionals } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: { count: { type: 'string', default: '1' }, minutes: { type: 'string', default: '5' } },
  });
  if (!grafana) {
    const args = ['test', '-run', '^$', '-bench', positionals.join('|') || '.', '-benchmem', '-count', values.count];
    return runOnTerminal('go', [...args, '-timeout', '1h', './bench'], { ...goEnv, GOGC: '100' });
  }
  await buildAll();
  const stack = await step(`Grafana started (${grafana.program})`, () => startGrafana(grafana, { port: 3100 }));
  try {
    const env = {
      GRAFANA_URL: stack.grafanaUrl,
      SIMULATOR_URL: stack.simulatorUrl,
      CHROMIUM_PATH: await findChromium(),
    };
    const code = await runOnTerminal('npx', ['playwright', 'test', '--config', 'bench'], env);
    const faults = await load({ ...stack, minutes: Number(values.minutes) });
    faults.forEach((fault) => console.error(`✘ ${fault}`));
    return code || (faults.length > 0 ? 1 : 0);
  } finally {
    await stack.stop();
  }
}

await main(bench);
