// Suites that Node runs: Jest, Node's own test runner, and Playwright.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAll } from '../lib/builds.mjs';
import { findChromium } from '../lib/chromium.mjs';
import { run } from '../lib/command.mjs';
import { countJest, countNode, countPlaywright, score } from '../lib/counts.mjs';
import { verdict } from './checks.mjs';

/** @param {string[]} paths Parts of the paths of test files; all of them if there is none. */
export const jest = (paths = []) =>
  withReport(async (file) => {
    const { code, output } = await run('jest', ['--json', '--outputFile', file, '--maxWorkers', '50%', ...paths]);
    return { code, log: output, count: countJest };
  });

/** @param {string} folder Of `tests/`. */
export const nodeTests = (folder) =>
  withReport(async (file) => {
    const spec = ['--test-reporter', 'spec', '--test-reporter-destination', 'stdout'];
    const tap = ['--test-reporter', 'tap', '--test-reporter-destination', file];
    // package.json names no module type, because the scaffold's own files are CommonJS. cspell:ignore TYPELESS
    const quiet = '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON';
    const { code, output } = await run('node', [quiet, '--test', ...spec, ...tap, `tests/${folder}/**/*.test.ts`]);
    return { code, log: output, count: countNode };
  });

export async function build() {
  await built();
  return verdict(true, '');
}

let building;

/** Builds once what is tested, so that no suite runs on an older build. */
const built = () => (building ??= buildAll());

export async function builtNodeTests(folder) {
  await built();
  return nodeTests(folder);
}

export async function playwright() {
  await built();
  const chromium = await findChromium();
  return withReport(async (file) => {
    const { code, output } = await run('playwright', ['test', '--config', 'tests/preview', '--reporter', 'list,json'], {
      env: { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: file, FORCE_COLOR: '0' },
    });
    return { code, log: output, count: countPlaywright };
  });
}

/** The count of a report; one that is missing or broken counts as a failed test. */
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
