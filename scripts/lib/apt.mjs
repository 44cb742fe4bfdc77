import { findOnPath, run } from './command.mjs';

/**
 * Installs Debian packages, as root or with a sudo that asks for no password. Their services are not started. It never
 * throws: where there is no network, or nobody may install, the packages are missing afterwards.
 *
 * @param {string[]} packages
 */
export async function aptInstall(packages) {
  if (!findOnPath('apt-get')) {
    return;
  }
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const [command, ...args] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get'];
  await run(command, [...args, 'update', '--quiet']);
  await run(command, [...args, 'install', '--yes', '--quiet', '--no-install-recommends', ...packages]);
}
