import { globSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { run } from '../lib/command.mjs';
import { goEnv } from '../lib/go.mjs';
import { root } from '../lib/paths.mjs';
import { verdict } from './checks.mjs';

/**
 * Finds the fuzz tests of Go packages.
 *
 * @param {string[]} words Parts of names or packages; every fuzz test if there is none.
 * @param {string} [folder] Where to look.
 * @returns {{ name: string, pkg: string }[]} By package and name; `pkg` is a pattern for Go.
 */
export function fuzzTests(words, folder = root) {
  const files = globSync('{bench,pkg,preview,simulator,tests}/**/*_test.go', { cwd: folder });
  const found = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^func (Fuzz\w+)\(\w+ \*testing\.F\)/gm)].map(([, name]) => ({
      name,
      pkg: `./${posix.dirname(file.split(sep).join('/'))}`,
    }))
  );
  const key = ({ name, pkg }) => `${pkg} ${name}`;
  return found
    .filter((test) => words.length === 0 || words.some((word) => key(test).includes(word)))
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** How many inputs a fuzz test has tried, from what `go test -fuzz` writes. */
export function inputsOf(output) {
  const counts = [...output.matchAll(/^fuzz: elapsed: .*?, execs: (\d+)/gm)];
  return Number(counts.at(-1)?.[1] ?? 0);
}

/**
 * Lets a fuzz test search for inputs that fail, and counts it as one test. Those inputs are in the package's
 * testdata/fuzz.
 *
 * @param {{ name: string, pkg: string }} test
 * @param {string} time For how long, such as `5m`.
 */
export async function search({ name, pkg }, time) {
  const args = ['test', '-vet=off', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', time, pkg];
  const { code, output } = await run('go', args, { env: goEnv });
  const inputs = inputsOf(output);
  console.log(`  ${inputs.toLocaleString('en')} inputs`);
  return verdict(code === 0 && inputs > 0, output);
}
