import { globSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { root } from './paths.mjs';

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
