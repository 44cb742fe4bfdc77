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
 * A text for each part of a script of `package.json`, such as `jest (412 tests)`: those that ran since a time, and those that did not,
 * because none of their files had changed. Parts that failed may be among either.
 *
 * @param {string} script Such as `test:all`.
 * @param {number} since In milliseconds.
 */
export function partsOf(script, since, { data = join(root, '.wireit'), folder = join(cache, 'tests') } = {}) {
  const names = [script].flatMap(function within(name) {
    return [name, ...(wireit[name].dependencies ?? []).flatMap(within)];
  });
  /** @type {{ ran: string[], unchanged: string[] }} */
  const parts = { ran: [], unchanged: [] };
  for (const name of new Set(names.filter((one) => one.startsWith('test:') && wireit[one].command))) {
    const part = name.slice('test:'.length);
    const file = countOf(part, folder);
    const count = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const isUnchanged = ranBefore(join(data, Buffer.from(name).toString('hex'), 'fingerprint'));
    parts[isUnchanged ? 'unchanged' : 'ran'].push(count ? `${part} (${count} tests)` : part);
  }
  return parts;

  function ranBefore(fingerprint) {
    return existsSync(fingerprint) && statSync(fingerprint).mtimeMs < since;
  }
}
