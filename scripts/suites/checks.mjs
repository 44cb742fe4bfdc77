// Suites of one test: a command that passes or fails.
import { run } from '../lib/command.mjs';

/** A command that counts as one test. */
export async function check(name, args, options) {
  const { code, output } = await run(name, args, options);
  return verdict(code === 0, output);
}

/** One test, passed or failed. */
export const verdict = (isPassed, log) => ({ passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, skipped: 0, log });

/** @param {string[]} files Files, folders and more options. */
export const formatting = (files) =>
  check('prettier', ['--check', '--log-level', 'warn', ...cached('prettier'), ...files]);

/** @param {string[]} files Files, folders and more options. */
export const spelling = (files) =>
  check('cspell', ['lint', '--no-progress', '--no-summary', '--gitignore', ...cached('cspell'), ...files]);

/** @param {string[]} files Files, folders and more options. */
export const lint = (files) => check('eslint', [...cached('eslint'), ...files]);

/** All projects of TypeScript, in one process. What has not changed since the last time is not checked again. */
export const types = () => check('npm', ['run', '--silent', 'typecheck']);

/** Dashboards and reference pages are what their sources make. */
export async function generatedFiles() {
  const dashboards = await check('node', ['dashboards/generate.ts', '--check']);
  return dashboards.failed > 0 ? dashboards : check('node', ['scripts/reference.mjs', '--check']);
}

/** Options for a tool's cache. It goes by what files contain: those of a fresh clone have new times. */
function cached(tool) {
  return ['--cache', '--cache-strategy', 'content', '--cache-location', `.cache/${tool}`];
}
