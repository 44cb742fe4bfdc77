import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, run } from './command.mjs';
import { cache, executable, root } from './paths.mjs';

const python = process.platform === 'win32' ? 'python' : 'python3';

/** zizmor's version, with the hashes of its files: what pip reads and Dependabot updates. */
const requirements = join(root, '.github', 'requirements.txt');

/**
 * Path of the pinned zizmor, which checks the security of workflows. It is installed on first use.
 *
 * @returns {Promise<string | undefined>} Nothing where there is no pip.
 */
export async function zizmor() {
  const [, version] = /^zizmor==(\S+)/m.exec(readFileSync(requirements, 'utf8'));
  const options = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--requirement', requirements];
  const folder = await install(`zizmor-${version}`, options);
  return folder && executable(join(folder, 'bin', 'zizmor'));
}

/**
 * Installs a release of a package of Python, such as `prometheus-api-client==0.7.2`, unless it is there.
 *
 * @returns {Promise<string>} Where Python has to look for it: PYTHONPATH.
 */
export async function pythonPackage(release) {
  const folder = await install(release.replace('==', '-'), [release]);
  if (!folder) {
    throw new Error(`The test needs ${python} with pip: on Debian, python3-pip.`);
  }
  return folder;
}

/** Installs from PyPI into a folder of its own, which has the name only when it is complete. */
async function install(name, options) {
  const folder = join(cache, name);
  if (existsSync(folder)) {
    return folder;
  }
  if ((await run(python, ['-m', 'pip', '--version'])).code !== 0) {
    return undefined;
  }
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const args = ['install', '--quiet', '--disable-pip-version-check', '--target', fresh, ...options];
  await mustRun(python, ['-m', 'pip', ...args]);
  renameSync(fresh, folder);
  return folder;
}
