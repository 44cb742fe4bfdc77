import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mustRun } from './command.mjs';
import { goEnv } from './go.mjs';
import { cache, executable } from './paths.mjs';

/** Where {@link goTool} puts a command. */
export const goToolPath = (source, version) => executable(join(folderOf(source, version), basename(source)));

const folderOf = (source, version) => join(cache, `${basename(source)}-${version}`);

/**
 * Path of a command that is written in Go, in exactly the given version. It is compiled on first use.
 *
 * @param {string} source Import path of the command.
 * @param {string} version As in `v1.2.3`.
 */
export async function goTool(source, version) {
  const path = goToolPath(source, version);
  if (!existsSync(path)) {
    console.log(`  Installing ${basename(source)} ${version} for the first time; this can take a minute or two.`);
    // With the flags of everything else, so that the standard library is not compiled once more.
    await mustRun('go', ['install', `${source}@${version}`], {
      env: { ...goEnv, GOBIN: folderOf(source, version), GOWORK: 'off' },
    });
  }
  return path;
}
