/**
 * Passed, failed and skipped tests of a run, read from the reports of test runners.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Count
 */

/**
 * The verdict on a run: a runner that fails without a failed test has failed once, and so has a run that executed no
 * test at all.
 *
 * @param {Count} count
 * @param {number} code The runner's exit code.
 * @param {string} log What the runner wrote.
 * @returns {Count & { log: string }}
 */
export function score({ passed, failed, skipped }, code, log) {
  if (failed === 0 && code !== 0) {
    return { passed, failed: 1, skipped, log: `${log}\nThe test runner ended with code ${code}.` };
  }
  if (passed + failed === 0) {
    return { passed, failed: 1, skipped, log: `${log}\nNo test was executed.` };
  }
  return { passed, failed, skipped, log };
}

/** @returns {Count} of `jest --json`; a file that could not be run is one failure. */
export function countJest(json) {
  const report = JSON.parse(json);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** @returns {Count} of Playwright's JSON report; a test that passed on a second try has passed. */
export function countPlaywright(json) {
  const { stats, errors } = JSON.parse(json);
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected + errors.length, skipped: stats.skipped };
}

/** @returns {Count} of the TAP report of `node --test`; a file that fails outside a test counts as one. */
export function countNode(tap) {
  const number = (name) => Number(tap.match(new RegExp(`^# ${name} (\\d+)$`, 'm'))?.[1] ?? NaN);
  const count = {
    passed: number('pass'),
    failed: number('fail') + number('cancelled'),
    skipped: number('skipped') + number('todo'),
  };
  if (Number.isNaN(count.passed + count.failed + count.skipped)) {
    throw new Error('The report has no sum.');
  }
  return count;
}

/**
 * @returns {Count & { log: string }} of `go test -json`. Of a test with subtests, the subtests count; a package that
 *   fails without a failing test (it doesn't compile, it panics) is one failure. `log` is what the failures printed.
 */
export function countGo(lines) {
  const results = new Map();
  const output = new Map();
  const append = (key, text) => output.set(key, (output.get(key) ?? '') + text);
  for (const event of events(lines)) {
    const { Action: action, Package: pkg = '', Test: test = '', ImportPath: importPath, Output: text = '' } = event;
    const key = `${pkg || importPath}\t${test}`;
    if (action === 'pass' || action === 'fail' || action === 'skip') {
      results.set(key, action);
    } else if (action === 'output' || action === 'build-output') {
      append(key, text);
    }
  }
  const keys = [...results.keys()];
  const isTest = (key) => !key.endsWith('\t');
  const isLeaf = (key) => isTest(key) && !keys.some((other) => other.startsWith(`${key}/`));
  const failedIn = (pkg) => keys.some((key) => isTest(key) && key.startsWith(pkg) && results.get(key) === 'fail');

  const count = { passed: 0, failed: 0, skipped: 0, log: '' };
  for (const [key, action] of results) {
    if (action === 'skip') {
      // A package that has no tests is reported as skipped, too.
      count.skipped += isLeaf(key) ? 1 : 0;
    } else if (action === 'pass') {
      count.passed += isLeaf(key) ? 1 : 0;
    } else if (isLeaf(key) || (!isTest(key) && !failedIn(key))) {
      count.failed += 1;
      count.log += output.get(key) ?? '';
    }
  }
  if (count.failed > 0) {
    // The output of a compiler belongs to no test.
    count.log =
      [...output]
        .filter(([key]) => !results.has(key))
        .map(([, text]) => text)
        .join('') + count.log;
  }
  return count;
}

function events(lines) {
  return lines.split('\n').flatMap((line) => {
    try {
      return line.startsWith('{') ? [JSON.parse(line)] : [];
    } catch {
      return [];
    }
  });
}
