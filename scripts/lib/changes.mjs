import { existsSync, globSync, lstatSync } from 'node:fs';
import { join, posix } from 'node:path';
import { mustRun, run } from './command.mjs';
import { otherModules } from './go.mjs';
import { root } from './paths.mjs';

/** Where a branch may have begun, by preference. */
const TRUNKS = ['origin/main', 'main'];

/**
 * Files that differ from those of the commit at which this branch left the main branch, committed or not.
 *
 * @param {string} [folder] The repository.
 * @returns {Promise<string[]>} Paths relative to the repository. Deleted files are among them, and the old names of renamed
 * ones, because others may need them; see {@link exists}.
 */
export async function changedFiles(folder = root) {
  const git = (...args) => run('git', args, { cwd: folder });
  const lines = async (...args) => (await mustRun('git', args, { cwd: folder })).stdout.split('\n').filter(Boolean);
  const [changed, added] = await Promise.all([
    lines('diff', '--name-only', '--no-renames', await mergeBase(git)),
    lines('ls-files', '--others', '--exclude-standard'),
  ]);
  const isLink = (file) => lstatSync(join(folder, file), { throwIfNoEntry: false })?.isSymbolicLink();
  return [...new Set([...changed, ...added])].filter((file) => !isLink(file)).sort();
}

async function mergeBase(git) {
  for (const trunk of TRUNKS) {
    const { code, stdout } = await git('merge-base', 'HEAD', trunk);
    if (code === 0) {
      return stdout.trim();
    }
  }
  return 'HEAD';
}

/** Whether a changed file has not been deleted. */
export const exists = (file) => existsSync(join(root, file));

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
    // All folders that may have a source of them, because the generators take seconds.
    hasGenerated: has(/^(dashboards|docs\/reference|pkg|provisioning|scripts|src)\//),
    hasWorkflows: has(/^\.github\//),
    nodeTests: [
      ...(has(/^(scripts|tests\/scripts|\.github|pkg)\/|^(go\.mod|go\.work|simulator\/(go\.mod|Dockerfile))$/)
        ? ['scripts']
        : []),
      // The documents quote messages of the backend, and list its files.
      ...(has(/\.md$|^(tests\/docs|docs)\/|^(pkg|simulator)\/.*\.go$/) ? ['docs'] : []),
    ],
    jestFolders: [...new Set(files.filter((file) => /^src\/.*\.tsx?$/.test(file)).map((file) => posix.dirname(file)))],
    goPackages: [...new Set(packages)].map((folder) => `./${folder}`),
  };
}

/** The folder of the workspace's Go package that a file is of, or is test data of. */
function packageOf(file, hasGo) {
  if (otherModules.some((folder) => file.startsWith(`${folder}/`))) {
    return undefined;
  }
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
