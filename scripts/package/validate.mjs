import { validRange } from 'semver';
import { sha256 } from './archive.mjs';
import { binaryName, id, version } from './release.mjs';
import { GO_MANIFEST, LICENSES_FILE, SBOM_FILE } from './stage.mjs';

const REQUIRED = ['plugin.json', 'module.js', 'module.js.map', 'README.md', 'CHANGELOG.md', 'LICENSE'];
const ADDED = [LICENSES_FILE, SBOM_FILE, GO_MANIFEST];
const NOT_PACKAGED = /(^|\/)(\.|node_modules\/|__)|\.(tsx?|test\.\w+|env|pem|log)$/;

/**
 * Checks a package against the rules of Grafana's catalog and the needs of an installation.
 *
 * Rules: https://grafana.com/developers/plugin-tools/publish-a-plugin/package-a-plugin
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
    ...pictureProblems(plugin, files),
    ...includeProblems(plugin, files),
    ...platforms.flatMap((platform) => binaryProblems(platform, files)),
    ...modeProblems(files, new Set(platforms.map(binaryName))),
    ...readmeProblems(textOf(files, 'README.md')),
    ...manifestProblems(files),
    ...[...files.keys()]
      .filter((path) => NOT_PACKAGED.test(path))
      .map((path) => `${path} does not belong in a package.`),
  ];
}

function metadataProblems({ id: pluginId, backend, dependencies, info }) {
  const rules = [
    [pluginId === id, `plugin.json has the id ${pluginId}, not ${id}.`],
    [info.version === version, `plugin.json has the version ${info.version}, package.json ${version}.`],
    [/^\d{4}-\d{2}-\d{2}$/.test(info.updated), `plugin.json has no day of the release but ${info.updated}.`],
    [backend === true, 'plugin.json does not say that there is a backend.'],
    [
      Boolean(validRange(dependencies?.grafanaDependency)),
      'plugin.json does not say which versions of Grafana it needs.',
    ],
    [Boolean(info.author?.name), 'plugin.json names no author.'],
    [
      info.links?.length > 0 && info.links.every(({ url }) => url.startsWith('https://')),
      'plugin.json needs links, with https.',
    ],
  ];
  return rules.filter(([holds]) => !holds).map(([, problem]) => problem);
}

function pictureProblems({ info }, files) {
  if (!(info.screenshots?.length > 0)) {
    return ['plugin.json names no screenshots.'];
  }
  const paths = [info.logos.small, info.logos.large, ...info.screenshots.map(({ path }) => path)];
  return paths
    .filter((path) => !files.has(path))
    .map((path) => `plugin.json names a picture that is not there: ${path}.`);
}

function includeProblems({ includes = [] }, files) {
  return includes
    .filter(({ path, type }) => type === 'dashboard' && !files.has(path))
    .map(({ path }) => `plugin.json includes a dashboard that is not there: ${path}.`);
}

/** The first bytes of executables, and the position and values of the field for the processor. */
const FORMATS = {
  linux: { magic: '7f454c46', at: 18, machine: { amd64: '3e00', arm64: 'b700' } },
  darwin: { magic: 'cffaedfe', at: 4, machine: { amd64: '07000001', arm64: '0c000001' } },
  windows: {
    magic: '4d5a',
    at: (contents) => contents.readUInt32LE(0x3c) + 4,
    machine: { amd64: '6486', arm64: '64aa' },
  },
};

function binaryProblems({ os, arch }, files) {
  const name = binaryName({ os, arch });
  const contents = files.get(name)?.contents;
  if (!contents) {
    return [`There is no backend for ${os} on ${arch}: ${name}.`];
  }
  const { magic, at, machine } = FORMATS[os];
  const offset = typeof at === 'function' ? at(contents) : at;
  const has = (bytes, start) => contents.subarray(start, start + bytes.length / 2).toString('hex') === bytes;
  return has(magic, 0) && has(machine[arch], offset) ? [] : [`${name} is not an executable for ${os} on ${arch}.`];
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
