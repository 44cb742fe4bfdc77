// Lets the fuzz tests search for inputs that fail, one after the other: `npm run fuzz`. It goes on after a failure; the
// last line is the sum.
//
//   npm run fuzz -- --time 5m                  how long each of them searches; a minute without the option
//   npm run fuzz -- promjson FuzzSettings      those whose package or name contains one of the words
import { parseArgs } from 'node:util';
import { bootstrap } from './lib/bootstrap.mjs';
import { main } from './lib/progress.mjs';
import { runSuites } from './lib/suiteRunner.mjs';

async function fuzz() {
  await bootstrap();
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { time: { type: 'string', default: '1m' } },
  });
  // After the bootstrap, because it needs its Node.
  const { fuzzTests, search } = await import('./suites/fuzz.mjs');
  const tests = fuzzTests(positionals);
  if (tests.length === 0) {
    throw new Error(`No fuzz test has a package or a name that contains ${positionals.join(' or ')}.`);
  }
  return runSuites(
    tests.map((test) => ({ lane: 'go', name: `${test.name} of ${test.pkg}`, run: () => search(test, values.time) }))
  );
}

await main(fuzz);
