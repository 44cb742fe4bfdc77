import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { after, describe, it, mock } from 'node:test';
import { build } from 'esbuild';
import { root } from '../../scripts/lib/paths.mjs';
import { forgetSkipped, skip, skipped } from '../../scripts/lib/skip.mjs';

const { scripts, wireit } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('what npm test can not run', () => {
  const to = mkdtempSync(join(tmpdir(), 'gpucloud-skip-'));
  after(() => forgetSkipped(to));

  it('is said at its end, and is a failure in CI and of a part that is asked for', () => {
    const log = mock.method(console, 'log', () => {});
    assert.equal(skip('engines', 'Install them.', { env: { MAY_SKIP: 'yes' }, to }), 0);
    assert.equal(skip('engines', 'Install them.', { env: { MAY_SKIP: 'yes', CI: 'true' }, to }), 1);
    assert.equal(skip('engines', 'Install them.', { env: {}, to }), 1);
    log.mock.restore();

    assert.deepEqual(skipped(to), ['engines: Install them.']);
    forgetSkipped(to);
    assert.deepEqual(skipped(to), []);
  });
});

describe('the parts of npm test', () => {
  /** A part with those that it depends on: all, or whose changes make it run again whatever they wrote. */
  const within = (name: string, all = true): string[] => [
    name,
    ...(wireit[name].dependencies ?? [])
      .filter((dependency: { cascade?: boolean }) => all || dependency.cascade !== false)
      .flatMap((dependency: { script?: string }) => within(dependency.script ?? String(dependency), all)),
  ];

  it('are all among those that it runs, but what the preview in React 19 needs', () => {
    assert.deepEqual([...new Set(within('test:all')), 'build:react19'].toSorted(), Object.keys(wireit).toSorted());
    assert.deepEqual(
      Object.keys(wireit).filter((name) => scripts[name] !== 'wireit'),
      []
    );
  });

  it('run again after a skip: its note is among what they write', () => {
    const skipping = globSync('scripts/*.mjs', { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\bskip\(\s*'(\w+)'/g)].map(([, part]) => part)
    );
    assert.deepEqual(skipping.toSorted(), ['engines', 'golangci', 'zizmor']);
    for (const part of skipping) {
      const { files, output } = wireit[`test:${part}`];
      assert.deepEqual(files && output, files && [`.cache/skipped/${part}`], part);
    }
  });

  const entries: Record<string, string> = {
    'test:scripts': 'tests/scripts/*.ts',
    'test:contract': 'tests/contract/*.ts',
    'test:package': 'tests/package/*.ts',
    'test:browser': '{tests/preview/*.ts,scripts/browser.mjs}',
    'test:dashboards': 'dashboards/generate.ts',
    'test:build': 'scripts/build.mjs',
    'build:front-end': 'src/module.ts',
    'build:page': 'preview/page/main.ts',
  };
  for (const [part, pattern] of Object.entries(entries)) {
    it(`run again when a module changes that they import: ${part}`, async () => {
      const { metafile } = await build({
        absWorkingDir: root,
        entryPoints: globSync(pattern, { cwd: root }),
        bundle: true,
        packages: 'external',
        platform: 'node',
        format: 'esm',
        outdir: 'never-written',
        write: false,
        metafile: true,
      });
      const lists: string[][] = within(part, false).map((name) => wireit[name].files ?? []);

      assert.deepEqual(
        Object.keys(metafile.inputs).filter((file) => !lists.some((patterns) => isListed(file, patterns))),
        []
      );
    });
  }
});

/** Whether a list of `files` in `package.json` has a file: a pattern after `!` takes out what the ones before it have. */
const isListed = (file: string, patterns: string[]) =>
  patterns.reduce(
    (listed, pattern) =>
      pattern.startsWith('!') ? listed && !matchesGlob(file, pattern.slice(1)) : listed || matchesGlob(file, pattern),
    false
  );
