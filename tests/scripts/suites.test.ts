import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it, mock } from 'node:test';
import { racePackages } from '../../scripts/lib/go.mjs';
import { tooFewKilled } from '../../scripts/lib/mutants.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { forgetSkipped, skip, skipped } from '../../scripts/lib/skip.mjs';

describe('the packages that npm test runs under the race detector', () => {
  it('are those of the backend that start goroutines, or run callers at the same time', () => {
    const concurrent = /^\s*go (func|\w)|\.Go\(|\b(errgroup|singleflight)\.[A-Z]|\bAfterFunc\(/m;
    const code = globSync('pkg/**/*.go', { cwd: root }).filter((file) => !file.endsWith('_test.go'));
    const withoutComments = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/\/\/.*/g, '');
    const tested = (folder: string) => globSync(`${folder}/*_test.go`, { cwd: root }).length > 0;
    const folders = code
      .filter((file) => concurrent.test(withoutComments(file)))
      .map((file) => (tested(dirname(file)) ? dirname(file) : dirname(dirname(file)))); // the archive's tests are those of PromQL

    assert.deepEqual(
      racePackages.toSorted(),
      [...new Set(folders)].map((folder) => `./${folder}`).toSorted(),
      'scripts/lib/go.mjs'
    );
  });
});

describe('what npm test can not run', () => {
  const to = mkdtempSync(join(tmpdir(), 'gpucloud-skip-'));
  after(() => forgetSkipped(to));

  it('is said at its end, and is a failure in CI', () => {
    const log = mock.method(console, 'log', () => {});
    assert.equal(skip('tests on query engines', 'Install them.', { env: {}, to }), 0);
    assert.equal(skip('tests on query engines', 'Install them.', { env: { CI: 'true' }, to }), 1);
    log.mock.restore();

    assert.deepEqual(skipped(to), ['tests on query engines. Install them.']);
    forgetSkipped(to);
    assert.deepEqual(skipped(to), []);
  });
});

describe('the parts of npm test', () => {
  const { scripts, wireit } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  it('are all among those that it runs', () => {
    const reached = new Set<string>();
    const visit = (name: string) => {
      reached.add(name);
      wireit[name].dependencies?.forEach(visit);
    };
    visit('test:all');

    assert.deepEqual([...reached].toSorted(), Object.keys(wireit).toSorted());
    assert.deepEqual(
      Object.keys(wireit).filter((name) => scripts[name] !== 'wireit'),
      []
    );
  });
});

describe('the mutants that tests have to kill', () => {
  const report = (mutants_killed: number, mutants_lived: number) => ({
    name: 'pkg/a',
    mutants_total: 200,
    mutants_killed,
    mutants_lived,
    mutants_not_covered: 0,
  });

  it('are nine of ten', () => {
    assert.deepEqual(tooFewKilled([report(90, 10)]), []);
    assert.deepEqual(tooFewKilled([report(89, 11)]), [
      'pkg/a: 89.0 % of the covered mutants were killed, and the floor is 90 %.',
    ]);
  });

  it('are too few where none was tried', () => {
    assert.equal(tooFewKilled([report(0, 0)]).length, 1);
  });
});
