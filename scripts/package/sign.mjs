import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mustRun } from '../lib/command.mjs';
import { sha256, zipFolder } from './archive.mjs';
import { readZip } from './read.mjs';
import { id, version } from './release.mjs';

const SIGNATURE = `${id}/MANIFEST.txt`;

/**
 * Signs a package with Grafana's own tool, which reads GRAFANA_ACCESS_POLICY_TOKEN, or with a signature that the tool has
 * made. Nothing is built: every file stays as it is, and the signature is added.
 *
 * @param {Uint8Array} zip
 * @param {{ rootUrls?: string, signature?: string }} [options] `rootUrls` are those that a private plugin is signed for,
 *   `signature` is a file.
 * @returns {Promise<Uint8Array>} The signed zip file.
 */
export async function signZip(zip, { rootUrls, signature } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-sign-'));
  try {
    const entries = await readZip(zip);
    unpack(entries, folder);
    const plugin = join(folder, id);
    if (signature) {
      copyFileSync(signature, join(folder, SIGNATURE));
    } else {
      await mustRun('sign-plugin', ['--distDir', plugin, ...(rootUrls ? ['--rootUrls', rootUrls] : [])]);
    }
    const signed = zipFolder(plugin, { name: id, date: entries[0].date });
    const problems = await problemsOf(entries, signed);
    if (problems.length > 0) {
      throw new Error(`The signed package can't be published:\n${problems.map((text) => `  ${text}`).join('\n')}`);
    }
    return signed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unpack(entries, folder) {
  for (const { path, mode, contents } of entries) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents, { mode: mode & 0o777 });
  }
}

/**
 * What a signed package has beside the files of the one that it was made of, as sentences. A signature names every file with its hash;
 * Grafana refuses a plugin in which one differs.
 */
async function problemsOf(entries, signed) {
  const key = ({ path, mode, contents }) => `${path} ${mode.toString(8)} ${sha256(contents)}`;
  const signedEntries = await readZip(signed);
  const before = new Set(entries.map(key));
  const signature = signedEntries.find(({ path }) => path === SIGNATURE);
  const others = signedEntries.filter((entry) => entry !== signature);
  const [body = '{}'] = /^\{[\s\S]*?^\}/m.exec(signature?.contents.toString('utf8') ?? '') ?? [];
  const manifest = JSON.parse(body);
  const isSigned = ({ path, contents }) => manifest.files?.[path.slice(id.length + 1)] === sha256(contents);
  return [
    ...(signature ? [] : ['There is no signature in it.']),
    ...others.filter((entry) => !before.has(key(entry))).map(({ path }) => `Signing changed ${path}.`),
    ...(others.length < entries.length ? ['Signing removed files.'] : []),
    ...(manifest.plugin === id && manifest.version === version
      ? []
      : [`The signature is of ${manifest.plugin} ${manifest.version}.`]),
    ...others.filter((entry) => !isSigned(entry)).map(({ path }) => `${path} is not what was signed.`),
  ];
}
