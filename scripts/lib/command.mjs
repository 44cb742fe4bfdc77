import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './paths.mjs';

/** The project's own tools come first, its Node among them. */
const path = () => [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);

/** Path of a command that is installed on this machine. */
export function findOnPath(command) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, command)).find((path) => existsSync(path));
}

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
      env: { ...process.env, PATH: path(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: needsShell(name),
    });
    let stdout = '';
    let output = '';
    const append = (chunk) => (output += chunk);
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      append(chunk);
    });
    child.stderr.on('data', append);
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

/**
 * Runs a command on this terminal and returns its exit code. Ctrl-C reaches the command itself, which then ends.
 *
 * @param {string} name
 * @param {string[]} args
 * @param {Record<string, string>} [env] Variables beside those of this process.
 * @returns {Promise<number>}
 */
export function runOnTerminal(name, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, {
      cwd: root,
      env: { ...process.env, PATH: path(), ...env },
      stdio: 'inherit',
      shell: needsShell(name),
    });
    const ignore = () => {};
    const forward = () => child.kill('SIGTERM');
    process.on('SIGINT', ignore);
    process.on('SIGTERM', forward);
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('SIGINT', ignore);
      process.off('SIGTERM', forward);
      resolve(code ?? 1);
    });
  });
}

/** Node's tools are batch files on Windows, which only a shell can start. */
function needsShell(name) {
  return process.platform === 'win32' && !/[\\/]/.test(name);
}

/** Whether a command succeeded and said so: one that could not reach what it looks up may succeed, too. */
export const succeeded = ({ code, output }, sentence) => code === 0 && output.includes(sentence);
