import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BACKEND_TAGS, buildAll } from './builds.mjs';
import { findChromium } from './chromium.mjs';
import { run } from './command.mjs';
import { countGo, countJest, countNode, countPlaywright, score } from './counts.mjs';
import { canInstallEngines, ENGINES_TAG, installEngines, missingEngines, testEngines } from './engines.mjs';
import { golangciLint } from './golangci.mjs';
import { root } from './paths.mjs';

/** Folders with a go.mod. */
const goModules = [root, join(root, 'simulator')];

/** Build tags under which every Go file is checked. */
const ALL_TAGS = `${BACKEND_TAGS},${ENGINES_TAG}`;

/**
 * A part of `npm test`. It resolves to how many of its tests passed, failed and were skipped, and what there is to read
 * about the failures.
 *
 * @typedef {{ passed: number, failed: number, skipped: number, log: string }} Result
 * @typedef {{ name: string, run: () => Promise<Result> }} Suite
 */

/** @type {Suite[]} */
export const suites = [
  { name: 'Formatting (prettier)', run: () => check('prettier', ['--check', '--log-level', 'warn', '.']) },
  {
    name: 'Spelling (cspell)',
    run: () => check('cspell', ['lint', '--no-progress', '--no-summary', '--gitignore', '.']),
  },
  {
    name: 'Lint (eslint)',
    run: () => check('eslint', ['--cache', '--cache-location', 'node_modules/.cache/eslint/', '.']),
  },
  { name: 'Types (tsc)', run: () => check('npm', ['run', '--silent', 'typecheck']) },
  { name: 'Generated files', run: () => check('node', ['dashboards/generate.ts', '--check']) },
  { name: 'Generated reference pages', run: () => check('node', ['scripts/reference.mjs', '--check']) },
  { name: 'Tests of the scripts (node)', run: () => nodeTests('scripts') },
  { name: 'Links and claims of the documents (node)', run: () => nodeTests('docs') },
  { name: 'Front-end tests (jest)', run: jest },
  { name: 'Go formatting (gofmt)', run: gofmt },
  { name: 'Go vet', run: () => inEachModule(['vet', '-tags', ALL_TAGS, './...']) },
  { name: 'Go lint (golangci-lint)', run: lintGo },
  { name: 'Go tests (go test -race)', run: goTests },
  ...(missingEngines().length === 0 || canInstallEngines()
    ? [{ name: 'Engines (Prometheus, VictoriaMetrics)', run: engines }]
    : []),
  { name: 'Build', run: build },
  { name: 'Contract tests (node)', run: () => builtNodeTests('contract') },
  { name: 'Package tests (node)', run: () => nodeTests('package') },
  { name: 'Browser tests (Playwright)', run: playwright },
];

/** A command that counts as one test. */
async function check(name, args, options) {
  const { code, output } = await run(name, args, options);
  return verdict(code === 0, output);
}

/** One test, passed or failed. */
const verdict = (isPassed, log) => ({ passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, skipped: 0, log });

/** The same Go command in every module, counted as one test. */
async function inEachModule(args, command = 'go') {
  const results = [];
  for (const cwd of goModules) {
    results.push(await check(command, args, { cwd }));
  }
  const failures = results.filter(({ failed }) => failed > 0);
  return verdict(failures.length === 0, failures.map(({ log }) => log).join(''));
}

async function jest() {
  return withReport(async (file) => {
    const { code, output } = await run('jest', ['--json', '--outputFile', file, '--maxWorkers', '50%']);
    return { code, log: output, count: countJest };
  });
}

async function gofmt() {
  const { code, output } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.go']);
  const files = output.split('\n').filter(Boolean);
  if (code !== 0 || files.length === 0) {
    return verdict(false, output);
  }
  const unformatted = await run('gofmt', ['-l', ...files]);
  return verdict(unformatted.code === 0 && unformatted.output === '', `To be formatted:\n${unformatted.output}`);
}

async function lintGo() {
  return inEachModule(['run', '--allow-parallel-runners', './...'], await golangciLint());
}

async function goTests() {
  const total = { passed: 0, failed: 0, skipped: 0, log: '' };
  for (const cwd of goModules) {
    // The tags are those of the backend that ships.
    const { code, stdout, output } = await run('go', ['test', '-race', '-tags', BACKEND_TAGS, '-json', './...'], {
      cwd,
      env: { CGO_ENABLED: '1' },
    });
    const count = countGo(stdout);
    const result = score(count, code, count.failed > 0 ? count.log : output);
    total.passed += result.passed;
    total.failed += result.failed;
    total.skipped += result.skipped;
    total.log += result.failed > 0 ? result.log : '';
  }
  return total;
}

async function engines() {
  await installEngines();
  return testEngines();
}

async function build() {
  await built();
  return verdict(true, '');
}

let building;

/** Builds once what is tested, so that no suite runs on an older build, whichever suites are chosen. */
const built = () => (building ??= buildAll());

async function nodeTests(folder) {
  return withReport(async (file) => {
    const spec = ['--test-reporter', 'spec', '--test-reporter-destination', 'stdout'];
    const tap = ['--test-reporter', 'tap', '--test-reporter-destination', file];
    // package.json names no module type, because the scaffold's own files are CommonJS. cspell:ignore TYPELESS
    const quiet = '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON';
    const { code, output } = await run('node', [quiet, '--test', ...spec, ...tap, `tests/${folder}/**/*.test.ts`]);
    return { code, log: output, count: countNode };
  });
}

async function builtNodeTests(folder) {
  await built();
  return nodeTests(folder);
}

async function playwright() {
  await built();
  const chromium = await findChromium();
  return withReport(async (file) => {
    const { code, output } = await run('playwright', ['test', '--config', 'tests/preview', '--reporter', 'list,json'], {
      env: { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: file, FORCE_COLOR: '0' },
    });
    return { code, log: output, count: countPlaywright };
  });
}

/** What a report says; one that is missing or broken says that a test failed. */
function read(file, count) {
  try {
    return count(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** Runs a test runner that writes a report into a file, and scores it. */
async function withReport(runTests) {
  const dir = mkdtempSync(join(tmpdir(), 'gpucloud-test-'));
  const file = join(dir, 'report.json');
  try {
    const { code, log, count } = await runTests(file);
    return score(read(file, count), code, log);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
