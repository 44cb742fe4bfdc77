import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'glob';
import { buildBackend } from '../lib/builds.mjs';
import { root } from '../lib/paths.mjs';
import { step } from '../lib/progress.mjs';
import { sha256 } from './archive.mjs';
import { bundledPackages, linkedModules } from './bundled.mjs';
import { licenseDocument, license } from './licenses.mjs';
import { binaryName, executableName, id, version } from './release.mjs';
import { billOfMaterials } from './sbom.mjs';

/** Names of the files that packaging adds to the built plugin. */
export const LICENSES_FILE = 'THIRD_PARTY_LICENSES.txt';
export const SBOM_FILE = 'sbom.cdx.json';
export const GO_MANIFEST = 'go_plugin_build_manifest';

/**
 * Puts a plugin's folder together, as it will be in the package: the built front end, the backend for every platform,
 * third-party licenses, and the bill of materials.
 *
 * @param {string} folder Is made anew.
 * @param {{ platforms: { os: string, arch: string }[], date: Date }} options
 * @returns {Promise<number>} How many third-party components are in it.
 */
export async function stage(folder, { platforms, date }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFrontEnd(folder, date);
  const components = new Map(bundledPackages(folder).map((component) => [keyOf(component), component]));
  for (const platform of platforms) {
    const binary = join(folder, binaryName(platform));
    await buildBackend(platform, binary);
    for (const component of await linkedModules(binary, platform)) {
      components.set(keyOf(component), merged(components.get(keyOf(component)), component));
    }
  }
  writeFileSync(join(folder, GO_MANIFEST), goManifest());
  const licensed = await step('Licenses checked', () => license([...components.values()]));
  writeFileSync(join(folder, LICENSES_FILE), licenseDocument(licensed));
  const product = { name: id, version, license: 'AGPL-3.0-only', date };
  writeFileSync(join(folder, SBOM_FILE), `${JSON.stringify(billOfMaterials(licensed, product), null, 2)}\n`);
  return licensed.length;
}

/** Copies `dist` but its binaries. The build writes its own day into `plugin.json`; a package has the sources'. */
function copyFrontEnd(folder, date) {
  const isBackend = (path) => path.startsWith(join(root, 'dist', `${executableName}_`)) || path.endsWith(GO_MANIFEST);
  cpSync(join(root, 'dist'), folder, { recursive: true, filter: (path) => !isBackend(path) });
  const file = join(folder, 'plugin.json');
  const plugin = JSON.parse(readFileSync(file, 'utf8'));
  plugin.info.updated = date.toISOString().slice(0, 10);
  writeFileSync(file, `${JSON.stringify(plugin, null, 2)}\n`);
}

/** The Go files that the backend was built from, for Grafana's review: a line `<sha256>:<path>` each. */
function goManifest() {
  return globSync('**/*.go', { cwd: root, posix: true, ignore: ['**/node_modules/**', 'dist/**', 'artifacts/**'] })
    .sort()
    .map((file) => `${sha256(readFileSync(join(root, file)))}:${file}\n`)
    .join('');
}

/** On another platform, other parts of a module can be linked. */
function merged(one, other) {
  const union = (key) => [...new Set([...(one?.[key] ?? []), ...other[key]])].sort();
  return { ...other, licenseFiles: union('licenseFiles'), noticeFiles: union('noticeFiles') };
}

const keyOf = ({ ecosystem, name, version }) => `${ecosystem} ${name} ${version}`;
