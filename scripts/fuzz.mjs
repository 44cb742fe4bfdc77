// Lets the fuzz tests search for inputs that fail, one after the other: `npm run fuzz`. It goes on after a failure, and ends with
// those that failed. Their inputs are in the package's testdata/fuzz.
//
//   npm run fuzz -- --time 5m                  how long each of them searches; a minute without the option
//   npm run fuzz -- promjson FuzzSettings      those whose package or name contains one of the words
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { runOnTerminal } from './lib/command.mjs';
import { goEnv } from './lib/go.mjs';
import { root } from './lib/paths.mjs';
import { main } from './lib/progress.mjs';

async function fuzz() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { time: { type: 'string', default: '1m' } },
  });
  const all = globSync('{bench,pkg,preview,simulator,tests}/**/*_test.go', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^func (Fuzz\w+)\(\w+ \*testing\.F\)/gm)].map(([, name]) => ({
      name,
      folder: `./${dirname(file)}`,
    }))
  );
  const isChosen = (text) => positionals.length === 0 || positionals.some((word) => text.includes(word));
  const tests = all.filter(({ name, folder }) => isChosen(`${folder} ${name}`));
  if (tests.length === 0) {
    throw new Error(`No fuzz test has a package or a name that contains ${positionals.join(' or ')}.`);
  }
  const failed = [];
  for (const { name, folder } of tests) {
    const args = ['test', '-vet=off', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', values.time, folder];
    if ((await runOnTerminal('go', args, goEnv)) !== 0) {
      failed.push(name);
    }
  }
  console.log(`${tests.length - failed.length} passed, ${failed.length} failed ${failed.join(' ')}`);
  return failed.length > 0 ? 1 : 0;
}

await main(fuzz);
