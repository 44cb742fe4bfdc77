import { join } from 'node:path';
import { mustRun } from './command.mjs';
import { ifChanged } from './fingerprint.mjs';
import { cache, executable, root } from './paths.mjs';
import { step } from './progress.mjs';

const goPlatforms = { darwin: 'darwin', linux: 'linux', win32: 'windows' };
const goArchitectures = { x64: 'amd64', arm64: 'arm64' };

/** Operating system and architecture of this machine, as Go names them. */
export const host = { os: goPlatforms[process.platform], arch: goArchitectures[process.arch] };

export const simulatorBinary = executable(join(cache, 'simulator'));
export const previewBinary = executable(join(cache, 'preview'));

/** Builds all that the demo and the browser tests run. The bundler works beside Go's compiler. */
export async function buildAll() {
  await Promise.all([
    (async () => {
      await buildFrontEnd();
      await buildPage();
    })(),
    (async () => {
      await buildBackend(host);
      await buildSimulator();
      await buildGo('Preview host built', previewBinary, './preview/host');
    })(),
  ]);
}

export function buildFrontEnd() {
  const build = {
    name: 'front-end',
    inputs: ['src', '.config', 'webpack.config.ts', 'tsconfig.json', 'package-lock.json', 'CHANGELOG.md', 'LICENSE'],
    output: 'dist/module.js',
  };
  return step('Front end built', () => ifChanged(build, () => mustRun('npm', ['run', '--silent', 'build'])));
}

/** Path at which Grafana looks for the backend. */
export function backendBinary({ os, arch }) {
  return join(root, 'dist', `gpx_gpucloud_${os}_${arch}${os === 'windows' ? '.exe' : ''}`);
}

export function buildBackend(target) {
  return buildGo('Backend built', backendBinary(target), './pkg', { GOOS: target.os, GOARCH: target.arch });
}

export function buildSimulator() {
  return buildGo('Simulator built', simulatorBinary, './simulator');
}

function buildPage() {
  const build = {
    name: 'preview-page',
    inputs: ['preview/page', 'preview/build.mjs', 'preview/tsconfig.json', 'tsconfig.json', 'package-lock.json'],
    output: 'preview/dist/app/main.js',
  };
  return step('Preview page built', () => ifChanged(build, () => mustRun('node', ['preview/build.mjs'])));
}

/** Go keeps its own account of what has changed. Symbols for debuggers are left out: they are a third of a binary. */
function buildGo(done, output, source, env = {}) {
  return step(done, async () => {
    const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', output, source];
    await mustRun('go', args, { env: { CGO_ENABLED: '0', ...env } });
  });
}
