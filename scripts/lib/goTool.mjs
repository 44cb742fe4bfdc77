import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mustRun } from './command.mjs';
import { goEnv } from './go.mjs';
import { cache, executable } from './paths.mjs';

/**
 * Path of a command that is written in Go, in exactly the given version. It is compiled on first use.
 *
 * @param {string} source Import path of the command.
 * @param {string} version As in `v1.2.3`.
 */
export async function goTool(source, version) {
  const name = basename(source);
  const dir = join(cache, `${name}-${version}`);
  const path = executable(join(dir, name));
  if (!existsSync(path)) {
    console.log(`  Installing ${name} ${version} for the first time; this can take a minute or two.`);
    // With the flags of everything else, so that the standard library is not compiled once more.
    await mustRun('go', ['install', `${source}@${version}`], { env: { ...goEnv, GOBIN: dir, GOWORK: 'off' } });
  }
  return path;
}
