// Runs every check and test of the project that needs no Grafana: `npm test`. It goes on after a failure; the last
// line is the sum. `npm test -- jest golangci` runs only the suites whose names contain one of the words.
import { bootstrap } from './lib/bootstrap.mjs';
import { main } from './lib/progress.mjs';
import { runSuites } from './lib/suiteRunner.mjs';

async function test() {
  await bootstrap();
  // After the bootstrap, because these need what it installs.
  const { suites } = await import('./suites/all.mjs');
  const words = process.argv.slice(2).map((word) => word.toLowerCase());
  const chosen = suites.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word))
  );
  if (chosen.length === 0) {
    throw new Error(`No suite has a name that contains ${words.join(' or ')}.`);
  }
  return runSuites(chosen);
}

await main(test);
