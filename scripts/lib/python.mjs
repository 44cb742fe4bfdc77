import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { root } from './paths.mjs';

/**
 * Installs a release of a Python package into a virtual environment of its own, unless it is there.
 *
 * @param {string} release Name and version, such as `prometheus-api-client==0.7.2`.
 * @returns {Promise<string>} The interpreter of the environment.
 */
export async function installPython(release) {
  const folder = join(root, '.cache', release.replace('==', '-'));
  if (!existsSync(folder)) {
    const fresh = `${folder}.new`;
    rmSync(fresh, { recursive: true, force: true });
    await need(['python3', '-m', 'venv', fresh]);
    const pip = [join(fresh, 'bin', 'python'), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await need([...pip, release]);
    // Only an environment that is complete has the name. Its interpreter can be moved, unlike its scripts.
    renameSync(fresh, folder);
  }
  return join(folder, 'bin', 'python');
}

async function need([command, ...args]) {
  const { code, output } = await run(command, args);
  if (code !== 0) {
    throw new Error(
      `${command} ${args.join(' ')} failed. It needs Python 3 with venv: on Debian, python3-venv.\n${output}`
    );
  }
}
