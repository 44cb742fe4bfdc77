import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sha256, writePackage, zipFolder } from '../../scripts/package/archive.mjs';
import { readZip } from '../../scripts/package/read.mjs';

const date = new Date('2027-01-31T23:30:00Z');
const files = { 'module.js': 'define([])', 'img/logo.svg': '<svg/>', gpx_gpucloud_linux_amd64: 'binary' };

describe('an archive', () => {
  it('is the same for files written at other times and in another order', () => {
    const first = inFolder(Object.entries(files), (folder) => {
      utimesSync(join(folder, 'module.js'), 1, 1);
      return zipFolder(folder, { name: 'plugin', date });
    });
    const second = inFolder(Object.entries(files).reverse(), (folder) => zipFolder(folder, { name: 'plugin', date }));

    assert.equal(sha256(first), sha256(second));
  });

  it('is the same in every time zone', () => {
    const hashes = ['UTC', 'Asia/Kolkata', 'America/Los_Angeles'].map((zone) =>
      inFolder(Object.entries(files), (folder) => hashIn(zone, folder))
    );

    assert.equal(new Set(hashes).size, 1, hashes.join(' '));
  });

  it('differs when a file differs', () => {
    const one = inFolder([['module.js', 'a']], (folder) => zipFolder(folder, { name: 'plugin', date }));
    const other = inFolder([['module.js', 'b']], (folder) => zipFolder(folder, { name: 'plugin', date }));

    assert.notEqual(sha256(one), sha256(other));
  });

  it('has its SHA-256 beside it, and the SHA-1 of the catalog', () => {
    inFolder([], (folder) => {
      writePackage(join(folder, 'plugin.zip'), Buffer.from('abc'));

      // Of "abc": FIPS 180-2, appendices A.1 and B.1.
      const sums = {
        sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
        sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      };
      for (const [algorithm, sum] of Object.entries(sums)) {
        assert.equal(readFileSync(join(folder, `plugin.zip.${algorithm}`), 'utf8'), `${sum}  plugin.zip\n`);
      }
    });
  });

  it('lets the backend be executed, and nothing else', async () => {
    const zip = inFolder(Object.entries(files), (folder) => zipFolder(folder, { name: 'plugin', date }));

    const modes = Object.fromEntries((await readZip(zip)).map(({ path, mode }) => [path, mode.toString(8)]));
    assert.deepEqual(modes, {
      'plugin/gpx_gpucloud_linux_amd64': '100755',
      'plugin/img/logo.svg': '100644',
      'plugin/module.js': '100644',
    });
  });
});

function inFolder<T>(contents: Array<[string, string]>, work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-archive-'));
  try {
    for (const [path, text] of contents) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A process of its own, because a process's time zone is read once. */
function hashIn(zone: string, folder: string): string {
  const archive = new URL('../../scripts/package/archive.mjs', import.meta.url).href;
  const script = `
    const { sha256, zipFolder } = await import(${JSON.stringify(archive)});
    console.log(sha256(zipFolder(${JSON.stringify(folder)}, { name: 'plugin', date: new Date(${date.getTime()}) })));`;
  const options = { env: { ...process.env, TZ: zone }, encoding: 'utf8' } as const;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], options).trim();
}
