import { globSync, lstatSync } from 'node:fs';
import { join, posix } from 'node:path';
import { mustRun, run } from './command.mjs';
import { root } from './paths.mjs';

/** Where a branch may have begun, by preference. */
const TRUNKS = ['origin/main', 'main'];

/**
 * Files that differ from those of the commit at which this branch left the main branch, committed or not.
 *
 * @returns {Promise<string[]>} Paths relative to the repository, without deleted files.
 */
export async function changedFiles() {
  const lines = async (...args) => (await mustRun('git', args)).stdout.split('\n').filter(Boolean);
  const [changed, added] = await Promise.all([
    lines('diff', '--name-only', '--diff-filter=d', await mergeBase()),
    lines('ls-files', '--others', '--exclude-standard'),
  ]);
  return [...new Set([...changed, ...added])].filter((file) => !lstatSync(join(root, file)).isSymbolicLink()).sort();
}

async function mergeBase() {
  for (const trunk of TRUNKS) {
    const { code, stdout } = await run('git', ['merge-base', 'HEAD', trunk]);
    if (code === 0) {
      return stdout.trim();
    }
  }
  return 'HEAD';
}

/**
 * What the changed files touch.
 *
 * @param {string[]} files
 * @param {(folder: string) => boolean} [hasGo] Whether there is Go code in a folder.
 */
export function touchedBy(files, hasGo = hasGoCode) {
  const has = (pattern) => files.some((file) => pattern.test(file));
  const packages = files.map((file) => packageOf(file, hasGo)).filter(Boolean);
  return {
    scripts: files.filter((file) => /\.(ts|tsx|js|mjs)$/.test(file) && !file.startsWith('.config/')),
    hasTypes: has(/\.(ts|tsx|mjs|json)$/),
    hasGenerated: has(/^(dashboards\/|src\/dashboards\/|src\/catalog\/|provisioning\/alerting\/)/),
    hasWorkflows: has(/^\.github\//),
    nodeTests: [
      ...(has(/^(scripts|tests\/scripts|\.github|pkg)\/|^(go\.mod|go\.work|simulator\/(go\.mod|Dockerfile))$/)
        ? ['scripts']
        : []),
      ...(has(/\.md$|^(tests\/docs|docs)\//) ? ['docs'] : []),
    ],
    jestFolders: [...new Set(files.filter((file) => /^src\/.*\.tsx?$/.test(file)).map((file) => posix.dirname(file)))],
    goPackages: [...new Set(packages)].map((folder) => `./${folder}`),
  };
}

/** The folder of the Go package that a file is of, or is test data of. */
function packageOf(file, hasGo) {
  for (let folder = posix.dirname(file); folder !== '.'; folder = posix.dirname(folder)) {
    if (!folder.split('/').includes('testdata') && hasGo(folder)) {
      return folder;
    }
  }
  return undefined;
}

function hasGoCode(folder) {
  return globSync('*.go', { cwd: join(root, folder) }).length > 0;
}

/** Whether a Go package has tests. */
export const hasGoTests = (folder) => globSync('*_test.go', { cwd: join(root, folder) }).length > 0;

/** Whether a folder of the front end has tests. */
export const hasJestTests = (folder) => globSync('*.test.{ts,tsx}', { cwd: join(root, folder) }).length > 0;
