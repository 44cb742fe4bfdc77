import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { cache, root } from './paths.mjs';

const { wireit } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const countOf = (part, folder) => join(folder, part);

/** What Jest, Node's test runner and Playwright print of the number of tests. */
const COUNT = /^(?:Tests: .*\b(\d+) total|ℹ tests (\d+)| +(\d+) passed)/m;

/** Keeps the number of tests that a part's output names. */
export function keepCount(part, output, folder = join(cache, 'tests')) {
  const [, ...counts] = COUNT.exec(stripVTControlCharacters(output)) ?? [];
  mkdirSync(folder, { recursive: true });
  writeFileSync(countOf(part, folder), counts.find(Boolean) ?? '');
}

/**
 * A text for each part of a script of `package.json` that did not run since a time because none of its files had changed,
 * such as `jest (412 tests)`.
 *
 * @param {string} script Such as `test:all`.
 * @param {number} since In milliseconds.
 */
export function unchanged(script, since, { data = join(root, '.wireit'), folder = join(cache, 'tests') } = {}) {
  const parts = [script].flatMap(function within(name) {
    return [name, ...(wireit[name].dependencies ?? []).flatMap(within)];
  });
  return [...new Set(parts)]
    .filter(
      (name) => name.startsWith('test:') && ranBefore(join(data, Buffer.from(name).toString('hex'), 'fingerprint'))
    )
    .map((name) => {
      const part = name.slice('test:'.length);
      const file = countOf(part, folder);
      const count = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return count ? `${part} (${count} tests)` : part;
    });

  function ranBefore(fingerprint) {
    return existsSync(fingerprint) && statSync(fingerprint).mtimeMs < since;
  }
}
