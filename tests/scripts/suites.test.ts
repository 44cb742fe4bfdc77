import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, mock } from 'node:test';
import { racePackages } from '../../scripts/lib/go.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { ANY_LANE, runSuites } from '../../scripts/lib/suiteRunner.mjs';

describe('the packages that npm test runs under the race detector', () => {
  it('are those of the backend that start goroutines, or run callers at the same time', () => {
    const concurrent = /^\s*go (func|\w)|\.Go\(|\b(errgroup|singleflight)\.[A-Z]|\bAfterFunc\(/m;
    const code = globSync('pkg/**/*.go', { cwd: root }).filter((file) => !file.endsWith('_test.go'));
    const withoutComments = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/\/\/.*/g, '');
    const folders = code.filter((file) => concurrent.test(withoutComments(file))).map(dirname);

    assert.deepEqual(
      racePackages.toSorted(),
      [...new Set(folders)].map((folder) => `./${folder}`).toSorted(),
      'scripts/lib/go.mjs'
    );
  });
});

describe('a run of suites', () => {
  const result = (passed: number, failed = 0, skipped = 0) => ({ passed, failed, skipped, log: 'why' });

  async function lines(suites: Parameters<typeof runSuites>[0]) {
    const log = mock.method(console, 'log', () => {});
    try {
      const code = await runSuites(suites);
      return { code, printed: log.mock.calls.map(({ arguments: [line] }) => String(line)) };
    } finally {
      log.mock.restore();
    }
  }

  it('has the sum of all lanes in its last line, and passes if nothing failed', async () => {
    const { code, printed } = await lines([
      { lane: 'go', name: 'One', run: async () => result(3, 0, 1) },
      { lane: 'node', name: 'Two', run: async () => result(4) },
    ]);

    assert.equal(code, 0);
    assert.equal(printed.at(-1), '\n7 passed, 0 failed, 1 skipped');
    assert.equal(printed.includes('why'), false);
  });

  it('goes on after a failure, prints why, and fails', async () => {
    const { code, printed } = await lines([
      { lane: 'go', name: 'One', run: async () => result(3, 1) },
      { lane: 'go', name: 'Two', run: async () => result(4) },
    ]);

    assert.equal(code, 1);
    assert.equal(printed.at(-1), '\n7 passed, 1 failed, 0 skipped');
    assert.equal(printed.includes('why'), true);
  });

  it('counts a suite that can not be run as one failure', async () => {
    const { code, printed } = await lines([
      { lane: 'go', name: 'One', run: () => Promise.reject(new Error('no compiler')) },
    ]);

    assert.equal(code, 1);
    assert.equal(printed.includes('no compiler'), true);
    assert.equal(printed.at(-1), '\n0 passed, 1 failed, 0 skipped');
  });

  it('has the suites of one lane one after the other, beside those of another', async () => {
    let running = 0;
    let beside = 0;
    const order: string[] = [];
    const suite = (lane: string, name: string) => ({
      lane,
      name,
      run: async () => {
        running += 1;
        beside = Math.max(beside, running);
        order.push(`${name} starts`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
        running -= 1;
        return result(1);
      },
    });

    await lines([suite('go', 'A'), suite('go', 'B'), suite('node', 'C')]);

    assert.equal(beside, 2);
    assert.ok(order.indexOf('A ends') < order.indexOf('B starts'));
    assert.ok(order.indexOf('C starts') < order.indexOf('A ends'));
  });

  it('has the suites of any lane once, in the lane that is free first', async () => {
    const order: string[] = [];
    let running = 0;
    const suite = (lane: string, name: string, turns: number) => ({
      lane,
      name,
      run: async () => {
        running += 1;
        order.push(`${name}, one of ${running}`);
        for (let turn = 0; turn < turns; turn++) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        running -= 1;
        return result(1);
      },
    });

    const { printed } = await lines([
      suite('go', 'long', 50),
      suite('node', 'short', 1),
      suite(ANY_LANE, 'first shared', 1),
      suite(ANY_LANE, 'second shared', 1),
      suite('go', 'after long', 1),
    ]);

    assert.deepEqual(order, [
      'long, one of 1',
      'short, one of 2',
      'first shared, one of 2',
      'second shared, one of 2',
      'after long, one of 1',
    ]);
    assert.equal(printed.at(-1), '\n5 passed, 0 failed, 0 skipped');
  });

  it('has suites of any lane alone', async () => {
    const { code, printed } = await lines([{ lane: ANY_LANE, name: 'One', run: async () => result(2) }]);

    assert.equal(code, 0);
    assert.equal(printed.at(-1), '\n2 passed, 0 failed, 0 skipped');
  });
});
