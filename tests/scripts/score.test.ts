import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countGo, countJest, countNode, countPlaywright, score } from '../../scripts/lib/counts.mjs';

describe('the count of a report', () => {
  it('of Jest has skipped tests, todo tests and files that could not be run', () => {
    const report = {
      numPassedTests: 3,
      numFailedTests: 1,
      numRuntimeErrorTestSuites: 1,
      numPendingTests: 2,
      numTodoTests: 1,
    };

    assert.deepEqual(countJest(JSON.stringify(report)), { passed: 3, failed: 2, skipped: 3 });
  });

  it('of Playwright has skipped tests, and a flaky test as passed', () => {
    const report = { stats: { expected: 4, flaky: 1, unexpected: 1, skipped: 2 }, errors: [{}] };

    assert.deepEqual(countPlaywright(JSON.stringify(report)), { passed: 5, failed: 2, skipped: 2 });
  });

  it('of node:test has skipped and todo tests, and canceled tests as failed', () => {
    const report = '# tests 9\n# pass 4\n# fail 1\n# cancelled 1\n# skipped 2\n# todo 1\n';

    assert.deepEqual(countNode(report), { passed: 4, failed: 2, skipped: 3 });
  });

  it('of go test has skipped tests, and a package that does not compile as failed', () => {
    const events = [
      { Action: 'pass', Package: 'a', Test: 'TestOne' },
      { Action: 'skip', Package: 'a', Test: 'TestTwo' },
      { Action: 'pass', Package: 'a' },
      { Action: 'fail', Package: 'b' },
    ];

    const { passed, failed, skipped } = countGo(events.map((event) => JSON.stringify(event)).join('\n'));

    assert.deepEqual({ passed, failed, skipped }, { passed: 1, failed: 1, skipped: 1 });
  });
});

describe('the score of a suite', () => {
  const cases = [
    { name: 'of passed tests is their count', count: [3, 0, 0], code: 0, failed: 0 },
    { name: 'counts skipped tests beside passed ones', count: [3, 0, 2], code: 0, failed: 0 },
    { name: 'of no tests is a failure', count: [0, 0, 0], code: 0, failed: 1 },
    { name: 'of skipped tests alone is a failure', count: [0, 0, 5], code: 0, failed: 1 },
    { name: 'of passed tests in a runner that failed is a failure', count: [3, 0, 0], code: 1, failed: 1 },
    { name: 'of failed tests in a runner that failed counts them once', count: [3, 2, 0], code: 1, failed: 2 },
  ];
  for (const { name, count, code, failed } of cases) {
    it(name, () => {
      const [passed = 0, failures = 0, skipped = 0] = count;

      const result = score({ passed, failed: failures, skipped }, code, 'what the runner wrote');

      assert.deepEqual([result.passed, result.failed, result.skipped], [passed, failed, skipped]);
      assert.equal(result.log.includes('what the runner wrote'), true);
    });
  }
});
