import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { root } from './paths.mjs';

const STOP_WITHIN_MS = 5000;

/**
 * Starts a program that keeps running.
 *
 * @param {string} name What to call it when it ends by itself.
 * @param {string} path
 * @param {string[]} args
 * @param {{ cwd?: string, env: Record<string, string>, log?: string }} options `log` is a file for what it writes;
 *   without it, its output can be read from `child`, and its errors are shown.
 */
export function startProcess(name, path, args, { cwd = root, env, log }) {
  const file = log && openSync(log, 'a');
  const child = spawn(path, args, { cwd, env, stdio: ['ignore', file ?? 'pipe', file ?? 'inherit'] });
  const ended = new Promise((resolve) => {
    child.on('error', (error) => resolve(`${name} could not be started: ${error.message}`));
    child.on('exit', (code, signal) => resolve(`${name} stopped by itself (${signal ?? `code ${code}`}).`));
  });
  const stop = async () => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  };
  return { child, ended, stop };
}

/**
 * Starts a program that keeps running and prints one line of JSON when it is ready. Resolves with that line's
 * content; rejects when the program ends before it.
 *
 * @param {string} name What to call it when it ends by itself.
 * @param {string} path
 * @param {string[]} args
 * @param {{ env?: Record<string, string> }} [options]
 */
export function startService(name, path, args, { env = {} } = {}) {
  const { child, ended, stop } = startProcess(name, path, args, { env: { ...process.env, ...env } });
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout });
    lines.once('line', (line) => {
      try {
        resolve({ ready: JSON.parse(line), ended, stop });
      } catch {
        reject(new Error(`${name} printed "${line}" instead of its address.`));
        void stop();
      }
    });
    void ended.then((reason) => reject(new Error(reason)));
  });
}
