import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../lib/command.mjs';
import { root } from '../lib/paths.mjs';

/** What Grafana runs on, as Go names it. */
export const platforms = ['linux', 'darwin', 'windows'].flatMap((os) =>
  ['amd64', 'arm64'].map((arch) => ({ os, arch }))
);

const readJson = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8'));

/** The plugin's id and executable, from `src/plugin.json`. */
export const { id, executable: executableName } = readJson('src', 'plugin.json');

/** The version: `package.json` is the one place where it is written. */
export const { version } = readJson('package.json');

/** Name of a platform's backend within the plugin's folder. */
export function binaryName({ os, arch }) {
  return `${executableName}_${os}_${arch}${os === 'windows' ? '.exe' : ''}`;
}

/**
 * The time that everything in a package carries, so that it doesn't depend on when it was made: that of
 * SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/) if it is set, else that of the commit.
 *
 * @returns {Promise<Date>} Whole seconds.
 */
export async function sourceDate() {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? (await run('git', ['log', '-1', '--format=%ct'])).stdout.trim();
  if (!/^\d+$/.test(seconds)) {
    throw new Error(
      'The sources have no date: this is not a git repository. Set SOURCE_DATE_EPOCH to the release date.'
    );
  }
  return new Date(Number(seconds) * 1000);
}
