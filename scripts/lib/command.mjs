import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from './paths.mjs';

/** The project's own tools come first, its Node among them. */
const PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);

/**
 * Runs a command to its end and returns its exit code with everything it wrote. It never throws: a command that can't
 * be started has code 127 and the reason in its output.
 *
 * @param {string} name
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string> }} [options]
 * @returns {Promise<{ code: number, stdout: string, output: string }>} `output` is stdout and stderr as they came.
 */
export function run(name, args, { cwd = root, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(name, args, {
      cwd,
      env: { ...process.env, PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: needsShell(name),
    });
    let stdout = '';
    let output = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      output += chunk;
    });
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: 127, stdout, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, output }));
  });
}

/** Like {@link run}, but a failure is an error that carries the command's output. */
export async function mustRun(name, args, options) {
  const result = await run(name, args, options);
  if (result.code !== 0) {
    throw new Error(`${[name, ...args].join(' ')} failed:\n${result.output.trim()}`);
  }
  return result;
}

/** Node's tools are batch files on Windows, which only a shell can start. */
export function needsShell(name) {
  return process.platform === 'win32' && !/[\\/]/.test(name);
}
