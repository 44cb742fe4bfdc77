import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    verify(entries, readFileSync(join(folder, SIGNATURE), 'utf8'));
    return zipFolder(plugin, { name: id, date: entries[0].date });
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

/** A signature names every file with its hash; Grafana refuses a plugin in which one differs. */
function verify(entries, signature) {
  const [body = '{}'] = /^\{[\s\S]*?^\}/m.exec(signature) ?? [];
  const { plugin, version: signed, files = {} } = JSON.parse(body);
  if (plugin !== id || signed !== version) {
    throw new Error(`The signature is of ${plugin} ${signed}.`);
  }
  const others = entries.filter(({ path, contents }) => files[path.slice(id.length + 1)] !== sha256(contents));
  if (others.length > 0) {
    throw new Error(`${others.map(({ path }) => path).join(', ')} is not what was signed.`);
  }
}
