// Runs the plugin's backend against real query engines behind the simulator: `npm run test:engines`. It installs the
// engines where it can, and ends with what was compared and with the sum of the tests.
import { bootstrap } from './lib/bootstrap.mjs';
import { installEngines, testEngines } from './lib/engines.mjs';
import { main, step } from './lib/progress.mjs';

const columns = [18, 10, 12, 12, 12];

async function engines() {
  await bootstrap();
  await step('Engines installed', installEngines);
  const { passed, failed, skipped, log, compared } = await step('Engines compared', testEngines);
  if (failed > 0) {
    console.log(log.trim());
  }
  row(['', 'version', 'responses', 'samples', 'differences']);
  for (const { name, version, responses, samples, differences } of compared) {
    row([name, version, responses, samples, differences].map((cell) => cell.toLocaleString('en')));
  }
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 ? 0 : 1;
}

function row([first, ...rest]) {
  console.log(first.padEnd(columns[0]) + rest.map((cell, i) => cell.padStart(columns[i + 1])).join(''));
}

await main(engines);
