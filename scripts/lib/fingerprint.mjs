import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache, root } from './paths.mjs';

/**
 * Does a build only if it could come out differently from the last time: when a file it reads has changed, or the
 * file it writes has, or is gone.
 *
 * @param {{ name: string, inputs: string[], output: string }} build Files and folders, relative to the repository.
 * @param {() => Promise<unknown>} work
 * @returns {Promise<'unchanged' | undefined>}
 */
export async function ifChanged({ name, inputs, output }, work) {
  const file = join(cache, `${name}.fingerprint`);
  const before = inputs.map(hashOf).join('\n');
  if (existsSync(file) && readFileSync(file, 'utf8') === `${before}\n${stampOf(output)}`) {
    return 'unchanged';
  }
  await work();
  mkdirSync(cache, { recursive: true });
  writeFileSync(file, `${before}\n${stampOf(output)}`);
  return undefined;
}

function hashOf(input) {
  const hash = createHash('sha256');
  for (const file of filesIn(join(root, input))) {
    hash.update(file).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesIn(path) {
  if (!existsSync(path)) {
    return [];
  }
  if (statSync(path).isFile()) {
    return [path];
  }
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function stampOf(output) {
  const path = join(root, output);
  return existsSync(path) ? `${statSync(path).size} ${statSync(path).mtimeMs}` : 'missing';
}
