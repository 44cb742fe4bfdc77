import { since } from './progress.mjs';

/**
 * A part of a test run. It resolves to how many of its tests passed, failed and were skipped, and what there is to read
 * about the failures.
 *
 * @typedef {{ passed: number, failed: number, skipped: number, log: string }} Result
 * @typedef {{ name: string, lane: string, run: () => Promise<Result> }} Suite
 */

/**
 * Runs suites: the lanes side by side, the suites of a lane in their order. It goes on after a failure, prints each
 * suite's name when it starts and its result when it ends, and the sum at the end.
 *
 * @param {Suite[]} suites
 * @returns {Promise<number>} The exit code: 0 if nothing failed.
 */
export async function runSuites(suites) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const runLane = async (lane) => {
    for (const suite of suites.filter((candidate) => candidate.lane === lane)) {
      const { passed, failed, skipped } = await report(suite);
      total.passed += passed;
      total.failed += failed;
      total.skipped += skipped;
    }
  };
  await Promise.all([...new Set(suites.map(({ lane }) => lane))].map(runLane));
  console.log(`\n${counts(total)}`);
  return total.failed === 0 ? 0 : 1;
}

async function report({ name, run }) {
  const start = Date.now();
  console.log(`▸ ${name}`);
  const result = await attempt(run);
  console.log(`\n── ${name} ${'─'.repeat(Math.max(0, 60 - name.length))}`);
  if (result.failed > 0) {
    console.log(result.log.trim());
  }
  console.log(`${result.failed > 0 ? '✘' : '✔'} ${counts(result)} (${since(start)})`);
  return result;
}

const counts = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** A suite that can't even be run has failed once. */
async function attempt(run) {
  try {
    return await run();
  } catch (error) {
    return { passed: 0, failed: 1, skipped: 0, log: error.message };
  }
}
