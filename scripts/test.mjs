// Runs every check and test of the project that needs no Grafana: `npm test`. The parts and what they read are in package.json;
// wireit runs again what has changed, goes on after a failure, and ends with what failed. `npm run test:jest` runs one part.
import { availableParallelism } from 'node:os';
import { runOnTerminal } from './lib/command.mjs';
import { main } from './lib/progress.mjs';
import { forgetSkipped, skipped } from './lib/skip.mjs';

async function test() {
  forgetSkipped();
  const code = await runOnTerminal('npm', ['run', '--silent', `test:${process.argv[2] ?? 'all'}`], {
    MAY_SKIP: 'yes',
    // A part that was skipped once must not come out of a cache.
    WIREIT_CACHE: 'none',
    WIREIT_FAILURES: 'continue',
    WIREIT_PARALLEL: String(Math.max(2, Math.floor(availableParallelism() / 2))),
  });
  skipped().forEach((text) => console.log(`– Skipped: ${text}`));
  return code;
}

await main(test);
