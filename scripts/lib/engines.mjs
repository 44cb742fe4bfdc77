import { aptInstall } from './apt.mjs';
import { findOnPath } from './command.mjs';

/** Commands that the tests start, by the Debian package that has them. */
const PACKAGES = {
  prometheus: ['prometheus', 'promtool'],
  'victoria-metrics': ['victoria-metrics'],
};

const missing = () => Object.keys(PACKAGES).filter((name) => !PACKAGES[name].every(findOnPath));

/**
 * Installs the engines that are missing, if it can.
 *
 * @returns {Promise<string | undefined>} A sentence about what to install, where something is still missing.
 */
export async function installEngines() {
  if (missing().length > 0) {
    await aptInstall(missing());
  }
  const packages = missing();
  const commands = packages.flatMap((name) => PACKAGES[name]).join(', ');
  return packages.length > 0
    ? `Install the Debian packages ${packages.join(' and ')}, or put ${commands} on the PATH.`
    : undefined;
}
