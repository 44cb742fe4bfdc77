import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnTerminal } from './command.mjs';
import { goEnv } from './go.mjs';
import { executable, root } from './paths.mjs';
import { step } from './progress.mjs';

/** The major version of Node that the project's tools are run with; it comes with the dependencies. */
const NODE_MAJOR = 24;

/**
 * Makes sure that the dependencies are installed and that this script runs on the project's own Node. Uses nothing
 * but Node itself, from version 20 on. To be awaited first in every script.
 *
 * @param {Promise<unknown>} [beside] what runs beside the installation, and must end before the script begins again on
 *   the project's own Node
 */
export async function bootstrap(beside) {
  if (!isInstalled()) {
    const stop = beside ? undefined : compileAhead();
    await step('Dependencies installed', install).finally(stop);
  }
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) {
    return;
  }
  await beside;
  const node = executable(join(root, 'node_modules', 'node', 'bin', 'node'));
  if (!existsSync(node)) {
    throw new Error(
      `Node ${NODE_MAJOR} is needed and was not installed with the dependencies, probably because npm is set to ` +
        `ignore scripts. Run \`npm rebuild node\`, or use Node ${NODE_MAJOR} yourself.`
    );
  }
  process.exit(await runOnTerminal(node, process.argv.slice(1)));
}

/** Whether every package of the lock file is in `node_modules`, in its version. */
function isInstalled() {
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (!installed) {
    return false;
  }
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(
    // The entry without a name is the project itself; optional packages may be for another platform.
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version
  );
}

function packagesOf(lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : undefined;
}

/** Installs the dependencies and tells how many of them are there. */
async function install(tell) {
  const folders = Object.keys(packagesOf(join(root, 'package-lock.json'))).filter(Boolean);
  const timer = setInterval(() => {
    const there = folders.filter((folder) => existsSync(join(root, folder, 'package.json'))).length;
    tell(`${there} of ${folders.length} packages`);
  }, 1000);
  try {
    const args = ['ci', '--no-audit', '--no-fund', '--silent'];
    const code = await runOnTerminal('npm', args);
    if (code !== 0) {
      throw new Error(`npm ${args.join(' ')} failed with code ${code}.`);
    }
  } finally {
    clearInterval(timer);
  }
}

/**
 * Compiles Go code, which needs none of the dependencies, until it is stopped. What is compiled by then is in Go's cache: npm
 * takes a minute and leaves a processor free.
 *
 * @returns {() => void} Stops it.
 */
function compileAhead() {
  const env = { ...process.env, ...goEnv };
  const compiler = spawn('go', ['build', './pkg', './simulator', './preview/host'], {
    cwd: root,
    env,
    stdio: 'ignore',
  });
  // Without Go, the first command that needs it fails.
  compiler.on('error', () => {});
  return () => compiler.kill();
}
