import { since } from './progress.mjs';

/**
 * A part of a test run. It resolves to how many of its tests passed, failed and were skipped, and what there is to read
 * about the failures.
 *
 * @typedef {{ passed: number, failed: number, skipped: number, log: string }} Result
 * @typedef {{ name: string, lane: string, run: () => Promise<Result> }} Suite
 */

/** The lane of suites that run in the lane that is free first. */
export const ANY_LANE = 'any';

/**
 * Runs suites: the lanes side by side, the suites of a lane in their order, and then those of {@link ANY_LANE}. It goes
 * on after a failure, prints each suite's name when it starts and its result when it ends, and the sum at the end.
 *
 * @param {Suite[]} suites
 * @returns {Promise<number>} The exit code: 0 if nothing failed.
 */
export async function runSuites(suites) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const suitesOf = (lane) => suites.filter((suite) => suite.lane === lane);
  const shared = suitesOf(ANY_LANE);
  const runLane = async (lane) => {
    const own = suitesOf(lane);
    for (let suite; (suite = own.shift() ?? shared.shift());) {
      const { passed, failed, skipped } = await report(suite);
      total.passed += passed;
      total.failed += failed;
      total.skipped += skipped;
    }
  };
  // Suites of any lane alone run one after the other.
  const lanes = new Set(suites.map(({ lane }) => lane).filter((lane) => lane !== ANY_LANE));
  await Promise.all([...(lanes.size > 0 ? lanes : ['shared'])].map(runLane));
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
