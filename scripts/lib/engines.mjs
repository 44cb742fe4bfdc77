import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './command.mjs';

/** Commands that the tests start, by the Debian package that has them. */
const PACKAGES = {
  prometheus: ['prometheus', 'promtool'],
  'victoria-metrics': ['victoria-metrics'],
};

function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, command)));
}

/** Debian packages of engines that are not installed. */
export function missingEngines() {
  return Object.keys(PACKAGES).filter((name) => !PACKAGES[name].every(isOnPath));
}

/** Whether {@link installEngines} can install packages: as root, on Debian and what derives from it. */
export function canInstallEngines() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && isOnPath('apt-get');
}

/** Installs the engines that are missing, or throws a sentence about what to install. Their services are not started. */
export async function installEngines() {
  const missing = missingEngines();
  if (missing.length === 0) {
    return 'unchanged';
  }
  if (!canInstallEngines()) {
    throw new Error(howToInstall(missing));
  }
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const update = await run('apt-get', ['update', '--quiet'], { env });
  const install = await run('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...missing], { env });
  if (install.code !== 0) {
    throw new Error(`apt-get could not install ${missing.join(' and ')}:\n${update.output}${install.output}`.trim());
  }
  return 'installed';
}

/** A sentence about Debian packages that are missing. */
export function howToInstall(packages) {
  const commands = packages.flatMap((name) => PACKAGES[name]).join(', ');
  return `Install the Debian packages ${packages.join(' and ')}, or put ${commands} on the PATH.`;
}
