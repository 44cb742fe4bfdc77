// Lets the fuzz tests search for inputs that fail, one after the other: `npm run fuzz`. It goes on after a failure, and ends with
// those that failed. Their inputs are in the package's testdata/fuzz.
//
//   npm run fuzz -- --time 5m                  how long each of them searches; a minute without the option
//   npm run fuzz -- promjson FuzzSettings      those whose package or name contains one of the words
import { parseArgs } from 'node:util';
import { run } from './lib/command.mjs';
import { fuzzTests, inputsOf } from './lib/fuzzTests.mjs';
import { goEnv } from './lib/go.mjs';
import { main } from './lib/progress.mjs';

async function fuzz() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { time: { type: 'string', default: '1m' } },
  });
  const tests = fuzzTests(positionals);
  if (tests.length === 0) {
    throw new Error(`No fuzz test has a package or a name that contains ${positionals.join(' or ')}.`);
  }
  const failed = [];
  for (const { name, pkg } of tests) {
    const args = ['test', '-vet=off', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', values.time, pkg];
    const { code, output } = await run('go', args, { env: goEnv });
    const inputs = inputsOf(output);
    const isPassed = code === 0 && inputs > 0;
    console.log(
      `${isPassed ? '✔' : '✘'} ${name} of ${pkg}: ${inputs.toLocaleString('en')} inputs${isPassed ? '' : `\n${output}`}`
    );
    failed.push(...(isPassed ? [] : [name]));
  }
  console.log(`${tests.length - failed.length} passed, ${failed.length} failed ${failed.join(' ')}`);
  return failed.length > 0 ? 1 : 0;
}

await main(fuzz);
