import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './command.mjs';
import { countGo, score } from './counts.mjs';
import { BACKEND_TAGS, goEnv } from './go.mjs';

/** Commands that the tests start, by the Debian package that has them. */
const PACKAGES = {
  prometheus: ['prometheus', 'promtool'],
  'victoria-metrics': ['victoria-metrics'],
};

/** Build tag of the tests. */
const ENGINES_TAG = 'engines';

const PATTERN = './tests/engines';

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
    throw new Error(`Install the Debian packages ${missing.join(' and ')}, or put ${commandsOf(missing)} on the PATH.`);
  }
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const update = await run('apt-get', ['update', '--quiet'], { env });
  const install = await run('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...missing], { env });
  if (install.code !== 0) {
    throw new Error(`apt-get could not install ${missing.join(' and ')}:\n${update.output}${install.output}`.trim());
  }
  return 'installed';
}

function commandsOf(packages) {
  return packages.flatMap((name) => PACKAGES[name]).join(', ');
}

/**
 * Runs the tests against the engines.
 *
 * @returns {Promise<{ passed: number, failed: number, skipped: number, log: string, compared: Compared[] }>}
 * @typedef {{ name: string, version: string, responses: number, samples: number, differences: number }} Compared
 */
export async function testEngines() {
  const tags = `${BACKEND_TAGS},${ENGINES_TAG}`;
  const args = ['test', '-tags', tags, '-vet=off', '-count', '1', '-timeout', '10m', '-json', PATTERN];
  const { code, stdout, output } = await run('go', args, { env: goEnv });
  const count = countGo(stdout);
  const compared = comparedIn(stdout);
  const result = score(count, code, count.failed > 0 ? count.log : output);
  const isIdle = result.failed === 0 && compared.length === 0;
  return { ...result, failed: result.failed + (isIdle ? 1 : 0), compared };
}

/** The lines that the tests print at their end. */
function comparedIn(lines) {
  return [...lines.matchAll(/"Output":"(compared\\t[^"]*)\\n"/g)].map(([, line]) => {
    const [, name, version, ...counts] = line.split('\\t');
    const [responses, samples, differences] = counts.map(Number);
    return { name, version, responses, samples, differences };
  });
}
