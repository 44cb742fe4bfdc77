import { canInstallEngines, missingEngines } from '../lib/engines.mjs';
import { racePackages } from '../lib/go.mjs';
import { ANY_LANE } from '../lib/suiteRunner.mjs';
import { formatting, generatedFiles, lint, spelling, types } from './checks.mjs';
import { engines, gofmt, goTests, lintGo, raceTests } from './go.mjs';
import { build, builtNodeTests, jest, nodeTests, playwright } from './node.mjs';
import { auditWorkflows, lintWorkflows } from './workflows.mjs';

/**
 * The suites of `npm test`. Two lanes run side by side, the suites of a lane one after the other: of two Go commands,
 * each would compile what the other compiles. The last suites, for which most is compiled by then, run where there is time.
 *
 * @type {import('../lib/suiteRunner.mjs').Suite[]}
 */
export const suites = [
  { lane: 'go', name: 'Go formatting (gofmt)', run: gofmt },
  { lane: 'go', name: 'Build', run: build },
  { lane: 'go', name: 'Go tests (go test)', run: () => goTests() },
  {
    lane: 'go',
    name: 'Go tests with goroutines (go test -race)',
    run: () => raceTests(racePackages, { isShort: true }),
  },
  { lane: 'node', name: 'Formatting (prettier)', run: () => formatting(['.']) },
  { lane: 'node', name: 'Spelling (cspell)', run: () => spelling(['.']) },
  { lane: 'node', name: 'Lint (eslint)', run: () => lint(['.']) },
  { lane: 'node', name: 'Types (tsc)', run: types },
  { lane: 'node', name: 'Generated files', run: generatedFiles },
  { lane: 'node', name: 'Security of workflows (zizmor)', run: auditWorkflows },
  { lane: 'node', name: 'Tests of the scripts (node)', run: () => nodeTests('scripts') },
  { lane: 'node', name: 'Links and claims of the documents (node)', run: () => nodeTests('docs') },
  { lane: 'node', name: 'Front-end tests (jest)', run: () => jest() },
  { lane: ANY_LANE, name: 'Browser tests (Playwright)', run: playwright },
  { lane: ANY_LANE, name: 'Contract tests (node)', run: () => builtNodeTests('contract') },
  { lane: ANY_LANE, name: 'Package tests (node)', run: () => builtNodeTests('package') },
  { lane: ANY_LANE, name: 'Go lint (golangci-lint)', run: () => lintGo() },
  { lane: ANY_LANE, name: 'Workflows (actionlint)', run: lintWorkflows },
  ...(missingEngines().length === 0 || canInstallEngines()
    ? [{ lane: ANY_LANE, name: 'Engines (Prometheus, VictoriaMetrics)', run: engines }]
    : []),
];
