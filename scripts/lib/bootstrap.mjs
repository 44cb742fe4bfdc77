import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needsShell } from './command.mjs';
import { executable, root } from './paths.mjs';
import { step } from './progress.mjs';

/** The major version of Node that the project's tools are run with; it comes with the dependencies. */
const NODE_MAJOR = 24;

/**
 * Makes sure that the dependencies are installed and that this script runs on the project's own Node. Uses nothing
 * but Node itself, from version 20 on. To be awaited first in every script.
 */
export async function bootstrap() {
  if (!isInstalled()) {
    await step('Dependencies installed', () => passThrough('npm', ['ci', '--no-audit', '--no-fund', '--silent']));
  }
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) {
    return;
  }
  const node = executable(join(root, 'node_modules', 'node', 'bin', 'node'));
  if (!existsSync(node)) {
    throw new Error(
      `Node ${NODE_MAJOR} is needed and was not installed with the dependencies, probably because npm is set to ` +
        `ignore scripts. Run \`npm rebuild node\`, or use Node ${NODE_MAJOR} yourself.`
    );
  }
  process.exit(await start(node, process.argv.slice(1)));
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

async function passThrough(name, args) {
  const code = await start(name, args);
  if (code !== 0) {
    throw new Error(`${name} ${args.join(' ')} failed with code ${code}.`);
  }
}

/** Runs a command on this terminal. The terminal's Ctrl-C reaches the command itself, so it is not handled here. */
function start(name, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { cwd: root, stdio: 'inherit', shell: needsShell(name) });
    const ignore = () => {};
    const forward = () => child.kill('SIGTERM');
    process.on('SIGINT', ignore);
    process.on('SIGTERM', forward);
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('SIGINT', ignore);
      process.off('SIGTERM', forward);
      resolve(code ?? 1);
    });
  });
}
