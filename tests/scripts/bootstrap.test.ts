import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

/** Functions of Node's modules that version 20 lacks, with which a script may start. */
const NEWER_THAN_20 = ['globSync', 'styleText'];

/** What a module imports when it is loaded: names and the module that they are from. */
function importsOf(file: string): Array<{ names: string; from: string }> {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/^import (?:([^'"]+) from )?'([^']+)';$/gm)].map(([, names = '', from]) => ({
    names,
    from,
  }));
}

/** What a script imports before its first line runs and can't: npm packages, and what Node 20 lacks. */
function missing(file: string, visited = new Set<string>()): string[] {
  if (visited.has(file)) {
    return [];
  }
  visited.add(file);
  return importsOf(file).flatMap(({ names, from }) => {
    if (from.startsWith('.')) {
      return missing(join(dirname(file), from), visited);
    }
    const isMissing = from.startsWith('node:') ? NEWER_THAN_20.some((name) => names.includes(name)) : true;
    return isMissing ? [`${relative(root, file)} imports ${names} from ${from}`] : [];
  });
}

describe('a script', () => {
  const scripts = globSync('scripts/*.mjs', { cwd: root }).filter((file) =>
    readFileSync(join(root, file), 'utf8').includes('await bootstrap()')
  );

  it('is found', () => assert.ok(scripts.length > 10));

  for (const script of scripts) {
    it(`starts on Node 20 without its dependencies: ${script}`, () => {
      assert.deepEqual(missing(join(root, script)), []);
    });
  }
});
