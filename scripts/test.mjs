// Runs every check and test of the project that needs no Grafana: `npm test`. It goes on after a failure; the last
// line is the sum. `npm test -- jest vet` runs only the suites whose names contain one of the words.
import { bootstrap } from './lib/bootstrap.mjs';
import { main, since } from './lib/progress.mjs';
import { suites } from './lib/suites.mjs';

async function test() {
  await bootstrap();
  const words = process.argv.slice(2).map((word) => word.toLowerCase());
  const chosen = suites.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word))
  );
  if (chosen.length === 0) {
    throw new Error(`No suite has a name that contains ${words.join(' or ')}.`);
  }
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of chosen) {
    const { passed, failed, skipped } = await report(suite);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  console.log(`\n${counts(total)}`);
  return total.failed === 0 ? 0 : 1;
}

async function report({ name, run }) {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(0, 60 - name.length))}`);
  const start = Date.now();
  const result = await attempt(run);
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

await main(test);
