import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, run } from './command.mjs';
import { cache, executable, root } from './paths.mjs';

/** The version, with the hashes of its files: what pip reads and Dependabot updates. */
const requirements = join(root, '.github', 'requirements.txt');

const python = process.platform === 'win32' ? 'python' : 'python3';

/**
 * Path of the pinned zizmor, which checks the security of workflows. It comes from PyPI, and is installed on first use.
 *
 * @returns {Promise<string | undefined>} Nothing where there is no pip.
 */
export async function zizmor() {
  const [, version] = /^zizmor==(\S+)/m.exec(readFileSync(requirements, 'utf8'));
  const dir = join(cache, `zizmor-${version}`);
  const path = executable(join(dir, 'bin', 'zizmor'));
  if (existsSync(path)) {
    return path;
  }
  if ((await run(python, ['-m', 'pip', '--version'])).code !== 0) {
    return undefined;
  }
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:', '--require-hashes'];
  await mustRun(python, ['-m', 'pip', 'install', ...options, '--target', dir, '--requirement', requirements]);
  return path;
}
