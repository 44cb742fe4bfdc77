// Runs the tests of every Go package under the race detector: `npm run test:race`. `npm test` does it only for
// those with goroutines, with fewer random cases. Needs a C compiler.
import { bootstrap } from './lib/bootstrap.mjs';
import { allPackages } from './lib/go.mjs';
import { main } from './lib/progress.mjs';
import { runSuites } from './lib/suiteRunner.mjs';
import { raceTests } from './suites/go.mjs';

async function race() {
  await bootstrap();
  return runSuites([
    { lane: 'go', name: 'Go tests (go test -race)', run: () => raceTests(allPackages, { isShort: false }) },
  ]);
}

await main(race);
