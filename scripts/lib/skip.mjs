import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache } from './paths.mjs';

const folder = join(cache, 'skipped');

/** GitHub and most others set CI to true. */
const inCI = (env) => ![undefined, '', 'false'].includes(env.CI);

/**
 * Says that something is skipped, and why. In CI that is a failure. `npm test` repeats it at its end.
 *
 * @returns {number} The exit code.
 */
export function skip(what, why, { env = process.env, to = folder } = {}) {
  console.log(`Skipped: ${what}. ${why}`);
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, encodeURIComponent(what)), `${what}. ${why}`);
  return inCI(env) ? 1 : 0;
}

/** What was skipped since the last call of {@link forgetSkipped}. */
export function skipped(from = folder) {
  mkdirSync(from, { recursive: true });
  return readdirSync(from).map((file) => readFileSync(join(from, file), 'utf8'));
}

export const forgetSkipped = (in_ = folder) => rmSync(in_, { recursive: true, force: true });
