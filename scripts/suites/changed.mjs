import { exists, hasGoTests, hasJestTests, touchedBy } from '../lib/changes.mjs';
import { formatting, generatedFiles, lint, spelling, types } from './checks.mjs';
import { gofmt, goTests, lintGo } from './go.mjs';
import { jest, nodeTests } from './node.mjs';
import { auditWorkflows, lintWorkflows } from './workflows.mjs';

/**
 * The suites of `npm run check`: those that changed files touch.
 *
 * @param {string[]} files Deleted ones among them.
 * @returns {import('../lib/suiteRunner.mjs').Suite[]}
 */
export function suitesOf(files) {
  const {
    scripts,
    hasTypes,
    hasGenerated,
    hasWorkflows,
    nodeTests: folders,
    jestFolders,
    goPackages,
  } = touchedBy(files);
  const existing = files.filter(exists);
  const linted = scripts.filter(exists);
  const tested = goPackages.filter(hasGoTests);
  const testedFolders = jestFolders.filter(hasJestTests);
  const suite = (lane, name, run, isTouched = true) => (isTouched ? [{ lane, name, run }] : []);
  const isAny = (list) => list.length > 0;
  return [
    ...suite(
      'node',
      'Formatting (prettier)',
      () => formatting(['--ignore-unknown', '--no-error-on-unmatched-pattern', ...existing]),
      isAny(existing)
    ),
    ...suite('node', 'Spelling (cspell)', () => spelling(['--no-must-find-files', ...existing]), isAny(existing)),
    ...suite('node', 'Lint (eslint)', () => lint(['--no-warn-ignored', ...linted]), isAny(linted)),
    ...suite('node', 'Types (tsc)', types, hasTypes),
    ...suite('node', 'Generated files', generatedFiles, hasGenerated),
    ...suite('node', 'Workflows (actionlint)', lintWorkflows, hasWorkflows),
    ...suite('node', 'Security of workflows (zizmor)', auditWorkflows, hasWorkflows),
    ...folders.flatMap((folder) => suite('node', `Tests of ${folder} (node)`, () => nodeTests(folder))),
    ...suite('node', 'Front-end tests (jest)', () => jest(testedFolders.map(jestPattern)), isAny(testedFolders)),
    ...suite('go', 'Go formatting (gofmt)', gofmt, isAny(goPackages)),
    ...suite('go', 'Go tests (go test)', () => goTests(tested), isAny(tested)),
    ...suite('go', 'Go lint (golangci-lint)', () => lintGo(goPackages), isAny(goPackages)),
  ];
}

/** Matches the tests in a folder, without those of folders below it. */
const jestPattern = (folder) => `/${folder}/[^/]+$`;
