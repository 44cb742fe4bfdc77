import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { binaryName, id, version } from '../package/release.mjs';
import { mustRun } from './command.mjs';
import { goEnv } from './go.mjs';
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
  await Promise.all([buildPages(), buildPrograms()]);
}

/** Builds what a browser loads. The dependencies must be installed. */
export const buildPages = () => Promise.all([buildFrontEnd(), buildPage()]);

/** Builds the programs that run: the backend, the simulator and the preview. Needs none of the dependencies but Go. */
export async function buildPrograms() {
  await buildPlatform();
  await buildGo('Preview host built', previewBinary, './preview/host');
}

/** Those that run beside a Grafana: the backend, and the simulator for it to read. */
export async function buildPlatform() {
  await buildBackend(host);
  await buildSimulator();
}

export const buildFrontEnd = () => step('Front end built', () => ifChanged('build:front-end'));

/** The page of the preview. */
const buildPage = () => step('Preview page built', () => ifChanged('build:page'));

export const react19 = join(root, 'preview', 'react19');
export const hasReact19 = () => existsSync(join(react19, 'node_modules', '.package-lock.json'));

/** The same page of the packages in preview/react19, which have to be installed. */
export const buildReact19 = () => step('Preview page of React 19 built', () => ifChanged('build:react19'));

/**
 * Runs a script of `package.json` that has a list of the files that it reads and writes, if one has changed. Within a part of `npm test`,
 * it must not write its log over that of the parts.
 */
const ifChanged = (script) =>
  mustRun('npm', ['run', '--silent', script], { env: { WIREIT_CACHE: 'none', WIREIT_DEBUG_LOG_FILE: '' } });

/** Path at which Grafana looks for the backend. */
export const backendBinary = (target) => join(root, 'dist', binaryName(target));

/** @param {{ os: string, arch: string }} target */
export function buildBackend(target, output = backendBinary(target)) {
  return buildGo(
    `Backend for ${target.os}/${target.arch} built`,
    output,
    './pkg',
    { GOOS: target.os, GOARCH: target.arch },
    backendLinkerFlags()
  );
}

/** Where Grafana's SDK reads the version from. */
function backendLinkerFlags() {
  const variable = 'github.com/grafana/grafana-plugin-sdk-go/build/buildinfo.buildInfoJSON';
  return `-X '${variable}=${JSON.stringify({ pluginID: id, version })}'`;
}

export function buildSimulator() {
  return buildGo('Simulator built', simulatorBinary, './simulator');
}

/**
 * Go's build cache decides what is compiled again. Symbols for debuggers are left out: they are a third of a binary. With
 * the flags of `goEnv`, a binary does not depend on the folder, the machine or the state of the repository.
 */
function buildGo(done, output, source, env = {}, linkerFlags = '') {
  const args = ['build', '-ldflags', `-s -w ${linkerFlags}`, '-o', output, source];
  return step(done, () => mustRun('go', args, { env: { ...goEnv, ...env } }));
}
