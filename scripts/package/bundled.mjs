import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { mustRun } from '../lib/command.mjs';
import { goEnv } from '../lib/go.mjs';
import { root } from '../lib/paths.mjs';
import { filesIn, sha256 } from './archive.mjs';

/**
 * A third-party package or module that is part of the plugin's package.
 *
 * @typedef {object} Component
 * @property {'npm' | 'golang'} ecosystem
 * @property {string} name
 * @property {string} version As its registry writes it; Go's begins with a v.
 * @property {string} [declared] The SPDX expression that it declares, where its ecosystem has such declarations.
 * @property {string[]} licenseFiles Absolute paths of licenses.
 * @property {string[]} noticeFiles Absolute paths of notices, which have to be passed on but are no licenses.
 */

const LICENSE_FILE = /^(licen[cs]e|copying|unlicen[cs]e)([-_.].*)?$/i;
const NOTICE_FILE = /^(notice|patents|third-?party-?notices)(\.(md|txt))?$/i;
/** Modules that webpack and the scaffold generate. */
const GENERATED = new Set(['grafana-public-path.js']);

/**
 * Finds the npm packages of which code or assets are in the built front end: those that source maps
 * name and those that other assets are copied from. An asset that is in none of the packages is an error.
 *
 * @param {string} dist Folder of the built front end.
 * @returns {Component[]} By name.
 */
export function bundledPackages(dist) {
  const files = filesIn(dist);
  const folders = new Set(
    files.filter((file) => file.endsWith('.js.map')).flatMap((file) => packagesOf(join(dist, file)))
  );
  for (const asset of files.filter(isCopiedAsset)) {
    if (![...folders].some((folder) => containsFile(join(root, folder), join(dist, asset)))) {
      throw new Error(`${asset} is in the bundle, but in none of the bundled packages: its license is unknown.`);
    }
  }
  return [...folders].map(npmComponent).sort(byName);
}

/** Folders of the packages that a source map's sources are in, relative to the repository. */
function packagesOf(map) {
  return JSON.parse(readFileSync(map, 'utf8')).sources.flatMap((source) => {
    const inner = source.split('/node_modules/').slice(1);
    if (inner.length === 0 || GENERATED.has(inner[0])) {
      return [];
    }
    // A package can have packages of its own.
    return [posix.join(...inner.flatMap((part) => ['node_modules', /^(@[^/]+\/)?[^/]+/.exec(part)[0]]))];
  });
}

/** Assets whose names are hashes of their contents: webpack copies them from packages. */
function isCopiedAsset(file) {
  return /^[0-9a-f]{20}\.\w+$/.test(file) && !/\.(js|map)$/.test(file);
}

function containsFile(folder, asset) {
  const { size } = statSync(asset);
  const wanted = sha256(readFileSync(asset));
  return filesIn(folder)
    .map((file) => join(folder, file))
    .some((file) => statSync(file).size === size && sha256(readFileSync(file)) === wanted);
}

/** @returns {Component} */
function npmComponent(folder) {
  const path = join(root, folder);
  const { name, version, license: declared } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  return { ecosystem: 'npm', name, version, declared, ...legalFiles([path]) };
}

/**
 * Finds the Go modules that are linked into a binary, and Go's own library.
 *
 * @param {string} binary Path of the built backend.
 * @param {{ os: string, arch: string }} platform What it was built for.
 * @returns {Promise<Component[]>} By name.
 */
export async function linkedModules(binary, platform) {
  const { Deps: linked, GoVersion: goVersion } = await goJson('version', '-m', '-json', binary);
  const packages = await packageFolders(platform);
  const goroot = (await mustRun('go', ['env', 'GOROOT'])).stdout.trim();
  const modules = linked.map((module) => {
    const { Path: name, Version: version } = module.Replace ?? module;
    const { dir, folders } = packages.get(module.Path);
    return { ecosystem: 'golang', name, version, ...legalFiles(upwards(folders, dir)) };
  });
  const library = { ecosystem: 'golang', name: 'std', version: goVersion.replace(/^go/, ''), ...legalFiles([goroot]) };
  return [...modules, library].sort(byName);
}

/** Each linked module's folder, and the folders of those of its packages that are linked. */
async function packageFolders({ os, arch }) {
  const format = '{{with .Module}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}';
  const env = { ...goEnv, GOOS: os, GOARCH: arch };
  const { stdout } = await mustRun('go', ['list', '-deps', '-f', format, './pkg'], { env });
  const modules = new Map();
  for (const [path, dir, folder] of stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'))) {
    const { folders } = modules.get(path) ?? { folders: [] };
    modules.set(path, { dir, folders: [...folders, folder] });
  }
  return modules;
}

async function goJson(...args) {
  return JSON.parse((await mustRun('go', args)).stdout);
}

/** The folders and all above them, up to the top: a part of a module can have a license of its own. */
function upwards(folders, top) {
  const all = new Set([top]);
  for (let folder of folders) {
    for (; !relative(top, folder).startsWith('..') && !all.has(folder); folder = dirname(folder)) {
      all.add(folder);
    }
  }
  return [...all].sort();
}

function legalFiles(folders) {
  const matching = (pattern) =>
    folders.filter(existsSync).flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && pattern.test(entry.name) && !/\.(go|js|mjs|ts)$/.test(entry.name))
        .map((entry) => join(folder, entry.name))
        .sort()
    );
  return { licenseFiles: matching(LICENSE_FILE), noticeFiles: matching(NOTICE_FILE) };
}

function byName(a, b) {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1;
}
