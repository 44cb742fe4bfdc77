// Checks what has changed since the branch left the main branch, committed or not: `npm run check`. It formats nothing,
// and runs lint, types, and the tests of the folders that the changes touch. `npm test` runs everything.
import { bootstrap } from './lib/bootstrap.mjs';
import { changedFiles, hasGoTests, hasJestTests, touchedBy } from './lib/changes.mjs';
import { main } from './lib/progress.mjs';
import { runSuites } from './lib/suiteRunner.mjs';
import { formatting, generatedFiles, lint, spelling, types } from './suites/checks.mjs';
import { gofmt, goTests, lintGo, vet } from './suites/go.mjs';
import { jest, nodeTests } from './suites/node.mjs';

async function check() {
  await bootstrap();
  const files = await changedFiles();
  if (files.length === 0) {
    console.log('Nothing has changed.');
    return 0;
  }
  console.log(`${files.length} changed files`);
  return runSuites(suitesOf(files));
}

/** @returns {import('./lib/suiteRunner.mjs').Suite[]} */
function suitesOf(files) {
  const { scripts, hasTypes, hasGenerated, nodeTests: folders, jestFolders, goPackages } = touchedBy(files);
  const tested = goPackages.filter(hasGoTests);
  const testedFolders = jestFolders.filter(hasJestTests);
  const suite = (lane, name, run, isTouched = true) => (isTouched ? [{ lane, name, run }] : []);
  const isAny = (list) => list.length > 0;
  return [
    ...suite('node', 'Formatting (prettier)', () =>
      formatting(['--ignore-unknown', '--no-error-on-unmatched-pattern', ...files])
    ),
    ...suite('node', 'Spelling (cspell)', () => spelling(['--no-must-find-files', ...files])),
    ...suite('node', 'Lint (eslint)', () => lint(['--no-warn-ignored', ...scripts]), isAny(scripts)),
    ...suite('node', 'Types (tsc)', types, hasTypes),
    ...suite('node', 'Generated files', generatedFiles, hasGenerated),
    ...folders.flatMap((folder) => suite('node', `Tests of ${folder} (node)`, () => nodeTests(folder))),
    ...suite('node', 'Front-end tests (jest)', () => jest(testedFolders.map(jestPattern)), isAny(testedFolders)),
    ...suite('go', 'Go formatting (gofmt)', gofmt, isAny(goPackages)),
    ...suite('go', 'Go vet', () => vet(goPackages), isAny(goPackages)),
    ...suite('go', 'Go tests (go test)', () => goTests(tested), isAny(tested)),
    ...suite('go', 'Go lint (golangci-lint)', () => lintGo(goPackages), isAny(goPackages)),
  ];
}

/** Matches the tests in a folder, without those of folders below it. */
const jestPattern = (folder) => `/${folder}/[^/]+$`;

await main(check);
