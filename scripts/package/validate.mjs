import { sha256 } from './archive.mjs';
import { binaryName, id, version } from './release.mjs';
import { GO_MANIFEST, LICENSES_FILE, SBOM_FILE } from './stage.mjs';

const REQUIRED = ['plugin.json', 'module.js', 'module.js.map', 'README.md', 'CHANGELOG.md', 'LICENSE'];
const ADDED = [LICENSES_FILE, SBOM_FILE, GO_MANIFEST];
/**
 * Checks what Grafana's validator doesn't: that the package is whole, reads well in the catalog and can be installed. The validator
 * itself runs in the workflow.
 *
 * @param {import('./read.mjs').Entry[]} entries
 * @param {{ os: string, arch: string }[]} platforms That there has to be a backend for.
 * @returns {string[]} Problems, a sentence each.
 */
export function validate(entries, platforms) {
  const strays = entries.filter(({ path }) => !path.startsWith(`${id}/`)).map(({ path }) => path);
  if (strays.length > 0) {
    return [`Everything has to be in the folder ${id}; this is not: ${strays.join(', ')}.`];
  }
  const files = new Map(entries.map((entry) => [entry.path.slice(id.length + 1), entry]));
  const missing = [...REQUIRED, ...ADDED].filter((path) => !(files.get(path)?.contents.length > 0));
  if (missing.length > 0) {
    return [`Missing or empty: ${missing.join(', ')}.`];
  }
  const plugin = JSON.parse(textOf(files, 'plugin.json'));
  return [
    ...metadataProblems(plugin),
    ...includeProblems(plugin, files),
    ...platforms
      .filter((platform) => !files.has(binaryName(platform)))
      .map(({ os, arch }) => `There is no backend for ${os} on ${arch}.`),
    ...modeProblems(files, new Set(platforms.map(binaryName))),
    ...readmeProblems(textOf(files, 'README.md')),
    ...manifestProblems(files),
  ];
}

function metadataProblems({ id: pluginId, info }) {
  return [
    ...(pluginId === id ? [] : [`plugin.json has the id ${pluginId}, not ${id}.`]),
    ...(info.version === version ? [] : [`plugin.json has the version ${info.version}, package.json ${version}.`]),
    ...(/^\d{4}-\d{2}-\d{2}$/.test(info.updated) ? [] : [`plugin.json has no day of the release but ${info.updated}.`]),
  ];
}

function includeProblems({ includes = [] }, files) {
  return includes
    .filter(({ path, type }) => type === 'dashboard' && !files.has(path))
    .map(({ path }) => `plugin.json includes a dashboard that is not there: ${path}.`);
}

function modeProblems(files, binaries) {
  return [...files].flatMap(([path, { mode }]) => {
    const wanted = binaries.has(path) ? 0o100755 : 0o100644;
    return mode === wanted ? [] : [`${path} has the mode ${mode.toString(8)} instead of ${wanted.toString(8)}.`];
  });
}

/** The catalog shows this file on a page of its own, where relative links don't work. */
function readmeProblems(readme) {
  const links = [...readme.matchAll(/\]\(([^)\s]+)|(?:src|srcset|href)="([^"]+)"/g)].map(
    (match) => match[1] ?? match[2]
  );
  const relative = links.filter((link) => !/^(https:|#|mailto:)/.test(link));
  return [
    ...relative.map((link) => `README.md has a relative link, which does not work in the catalog: ${link}.`),
    ...(/<!--/.test(readme) ? ['README.md has a comment, which the catalog shows.'] : []),
    ...(/%[A-Z]+%/.test(readme) ? ['README.md has a placeholder left.'] : []),
  ];
}

/** A signature names every file with its hash; Grafana refuses a plugin in which one differs. */
function manifestProblems(files) {
  if (!files.has('MANIFEST.txt')) {
    return [];
  }
  const body = /^\{[\s\S]*?^\}/m.exec(textOf(files, 'MANIFEST.txt'))?.[0];
  const { plugin, version: signed, files: hashes } = JSON.parse(body ?? '{}');
  const others = [...files].filter(([path]) => path !== 'MANIFEST.txt');
  return [
    ...(plugin === id && signed === version ? [] : [`MANIFEST.txt is of ${plugin} ${signed}.`]),
    ...others
      .filter(([path, { contents }]) => hashes?.[path] !== sha256(contents))
      .map(([path]) => `${path} is not what MANIFEST.txt was signed for.`),
  ];
}

const textOf = (files, path) => files.get(path).contents.toString('utf8');
