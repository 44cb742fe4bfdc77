import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache } from './paths.mjs';

const folder = join(cache, 'skipped');

/** GitHub and most others set CI to true. */
const inCI = (env) => ![undefined, '', 'false'].includes(env.CI);

/**
 * Says that a part of `npm test` is skipped, and why. `npm test` repeats it at its end. In CI, and where the part was asked
 * for by its name, it is a failure.
 *
 * @param {string} part Such as `engines`. In `package.json`, its `output` is the file that this writes: without the file,
 *   which {@link forgetSkipped} removes, the part runs again.
 * @returns {number} The exit code.
 */
export function skip(part, why, { env = process.env, to = folder } = {}) {
  console.log(`Skipped: ${part}: ${why}`);
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, part), `${part}: ${why}`);
  return env.MAY_SKIP && !inCI(env) ? 0 : 1;
}

/** What was skipped since the last call of {@link forgetSkipped}. */
export function skipped(from = folder) {
  mkdirSync(from, { recursive: true });
  return readdirSync(from).map((file) => readFileSync(join(from, file), 'utf8'));
}

export const forgetSkipped = (in_ = folder) => rmSync(in_, { recursive: true, force: true });
