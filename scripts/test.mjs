// Runs every check and test of the project that needs no Grafana: `npm test`. The parts and what they read are in package.json;
// wireit runs again what has changed, goes on after a failure, and ends with what failed. `npm run test:jest` runs one part.
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { hasReact19 } from './lib/builds.mjs';
import { runOnTerminal } from './lib/command.mjs';
import { watchParts } from './lib/parts.mjs';
import { cache } from './lib/paths.mjs';
import { main } from './lib/progress.mjs';
import { forgetSkipped, skipped } from './lib/skip.mjs';

async function test() {
  forgetSkipped();
  const log = join(cache, 'wireit.log');
  mkdirSync(dirname(log), { recursive: true });
  const parts = watchParts(log);
  const code = await runOnTerminal('npm', ['run', '--silent', `test:${process.argv[2] ?? 'all'}`], {
    MAY_SKIP: 'yes',
    // A part that was skipped once must not come out of a cache.
    WIREIT_CACHE: 'none',
    WIREIT_DEBUG_LOG_FILE: log,
    WIREIT_FAILURES: 'continue',
    WIREIT_PARALLEL: String(Math.max(2, Math.floor(availableParallelism() / 2))),
  });
  parts.stop().forEach((line) => console.log(line));
  const without19 = 'browser: None was run in React 19, whose packages `npm run test:react19` installs.';
  [...(hasReact19() ? [] : [without19]), ...skipped()].forEach((text) => console.log(`– Skipped: ${text}`));
  return code;
}

await main(test);
