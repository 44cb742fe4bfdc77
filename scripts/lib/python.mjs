import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { root } from './paths.mjs';

/** The newest release that the tests were run with. */
const CLIENT = 'prometheus-api-client==0.7.2';

const folder = join(root, '.cache', CLIENT.replace('==', '-'));

/**
 * Installs Python's client of Prometheus into a virtual environment, unless it is there.
 *
 * @returns {Promise<string>} The interpreter of the environment.
 */
export async function installPythonClient() {
  if (!existsSync(folder)) {
    const fresh = `${folder}.new`;
    rmSync(fresh, { recursive: true, force: true });
    await need(['python3', '-m', 'venv', fresh]);
    await need([
      join(fresh, 'bin', 'python'),
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      CLIENT,
    ]);
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
