// Checks what has changed since the branch left the main branch, committed or not: `npm run check`. It formats nothing,
// and runs lint, types, and the tests of the folders that the changes touch. `npm test` runs everything.
import { bootstrap } from './lib/bootstrap.mjs';
import { main } from './lib/progress.mjs';
import { runSuites } from './lib/suiteRunner.mjs';

async function check() {
  await bootstrap();
  // After the bootstrap, because these need its Node.
  const { changedFiles } = await import('./lib/changes.mjs');
  const { suitesOf } = await import('./suites/changed.mjs');
  const files = await changedFiles();
  if (files.length === 0) {
    console.log('Nothing has changed.');
    return 0;
  }
  console.log(`${files.length} changed files`);
  return runSuites(suitesOf(files));
}

await main(check);
