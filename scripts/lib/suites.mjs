import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAll } from './builds.mjs';
import { findChromium } from './chromium.mjs';
import { run } from './command.mjs';
import { countGo, countJest, countNode, countPlaywright } from './counts.mjs';
import { canInstallEngines, installEngines, missingEngines, testEngines } from './engines.mjs';
import { golangciLint } from './golangci.mjs';
import { root } from './paths.mjs';

/** Folders with a go.mod. */
const goModules = [root, join(root, 'simulator')];

/**
 * A part of `npm test`. It resolves to how many of its tests passed and failed, and what there is to read about the
 * failures.
 *
 * @typedef {{ passed: number, failed: number, log?: string }} Result
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
  { name: 'Links and claims of the documents (node)', run: () => nodeTests('docs') },
  { name: 'Front-end tests (jest)', run: jest },
  { name: 'Go formatting (gofmt)', run: gofmt },
  { name: 'Go vet', run: () => inEachModule(['vet', '-tags', 'engines', './...']) },
  { name: 'Go lint (golangci-lint)', run: lintGo },
  { name: 'Go tests (go test -race)', run: goTests },
  ...(missingEngines().length === 0 || canInstallEngines()
    ? [{ name: 'Engines (Prometheus, VictoriaMetrics)', run: engines }]
    : []),
  { name: 'Build', run: build },
  { name: 'Contract tests (node)', run: () => nodeTests('contract') },
  { name: 'Package tests (node)', run: () => nodeTests('package') },
  { name: 'Browser tests (Playwright)', run: playwright },
];

/** A command that counts as one test. */
async function check(name, args, options) {
  const { code, output } = await run(name, args, options);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, log: output };
}

/** The same Go command in every module, counted as one test. */
async function inEachModule(args, command = 'go') {
  const results = [];
  for (const cwd of goModules) {
    results.push(await check(command, args, { cwd }));
  }
  const failures = results.filter(({ failed }) => failed > 0);
  return failures.length === 0
    ? { passed: 1, failed: 0 }
    : { passed: 0, failed: 1, log: failures.map(({ log }) => log).join('') };
}

async function jest() {
  return withReport(async (file) => {
    const { output } = await run('jest', ['--json', '--outputFile', file, '--maxWorkers', '50%']);
    return { log: output, count: countJest };
  });
}

async function gofmt() {
  const { code, output } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.go']);
  const files = output.split('\n').filter(Boolean);
  if (code !== 0 || files.length === 0) {
    return { passed: 0, failed: 1, log: output };
  }
  const unformatted = await run('gofmt', ['-l', ...files]);
  const isClean = unformatted.code === 0 && unformatted.output === '';
  return isClean ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, log: `To be formatted:\n${unformatted.output}` };
}

async function lintGo() {
  return inEachModule(['run', '--allow-parallel-runners', './...'], await golangciLint());
}

async function goTests() {
  const total = { passed: 0, failed: 0, log: '' };
  for (const cwd of goModules) {
    const { code, stdout, output } = await run('go', ['test', '-race', '-json', './...'], {
      cwd,
      env: { CGO_ENABLED: '1' },
    });
    const { passed, failed, log } = countGo(stdout);
    const unexplained = code !== 0 && failed === 0;
    total.passed += passed;
    total.failed += failed + (unexplained ? 1 : 0);
    total.log += unexplained ? output : log;
  }
  return total;
}

async function engines() {
  await installEngines();
  return testEngines();
}

async function build() {
  await buildAll();
  return { passed: 1, failed: 0 };
}

async function nodeTests(folder) {
  return withReport(async (file) => {
    const spec = ['--test-reporter', 'spec', '--test-reporter-destination', 'stdout'];
    const tap = ['--test-reporter', 'tap', '--test-reporter-destination', file];
    // package.json names no module type, because the scaffold's own files are CommonJS. cspell:ignore TYPELESS
    const quiet = '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON';
    const { output } = await run('node', [quiet, '--test', ...spec, ...tap, `tests/${folder}/**/*.test.ts`]);
    return { log: output, count: countNode };
  });
}

async function playwright() {
  const chromium = await findChromium();
  return withReport(async (file) => {
    const { output } = await run('playwright', ['test', '--config', 'tests/preview', '--reporter', 'list,json'], {
      env: { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: file, FORCE_COLOR: '0' },
    });
    return { log: output, count: countPlaywright };
  });
}

/** Runs a test runner that writes a report into a file, and counts it. A report that is missing is one failure. */
async function withReport(runTests) {
  const dir = mkdtempSync(join(tmpdir(), 'gpucloud-test-'));
  const file = join(dir, 'report.json');
  try {
    const { log, count } = await runTests(file);
    try {
      return { ...count(readFileSync(file, 'utf8')), log };
    } catch {
      return { passed: 0, failed: 1, log };
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
