import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { sha256, writePackage, zipFolder } from '../../scripts/package/archive.mjs';
import { packagesOf } from '../../scripts/package/build.mjs';
import { readZip } from '../../scripts/package/read.mjs';
import { binaryName, id, platforms, version } from '../../scripts/package/release.mjs';
import { date, good } from './examplePackage.ts';

const files = { 'module.js': 'define([])', 'img/logo.svg': '<svg/>', gpx_gpucloud_linux_amd64: 'binary' };

describe('an archive', () => {
  it('is the same for files written at other times and in another order', async () => {
    const first = await inFolder(Object.entries(files), (folder) => {
      utimesSync(join(folder, 'module.js'), 1, 1);
      return zipFolder(folder, { name: 'plugin', date });
    });
    const second = await inFolder(Object.entries(files).reverse(), (folder) =>
      zipFolder(folder, { name: 'plugin', date })
    );

    assert.equal(sha256(first), sha256(second));
  });

  it('is the same in every time zone', async () => {
    const zones = ['UTC', 'Asia/Kolkata', 'America/Los_Angeles'];
    const hashes = await inFolder(Object.entries(files), (folder) => zones.map((zone) => hashIn(zone, folder)));

    assert.equal(new Set(hashes).size, 1, hashes.join(' '));
  });

  it('has its SHA-256 beside it, and the SHA-1 of the catalog', async () => {
    await inFolder([], (folder) => {
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
    const zip = await inFolder(Object.entries(files), (folder) => zipFolder(folder, { name: 'plugin', date }));

    const modes = Object.fromEntries((await readZip(zip)).map(({ path, mode }) => [path, mode.toString(8)]));
    assert.deepEqual(modes, {
      'plugin/gpx_gpucloud_linux_amd64': '100755',
      'plugin/img/logo.svg': '100644',
      'plugin/module.js': '100644',
    });
  });

  it('is made for all platforms together and for each, with its own backend only', async () => {
    const all = Object.fromEntries(platforms.map((platform) => [binaryName(platform), 'binary']));
    const contents = good().map((entry) => [entry.path.slice(id.length + 1), String(entry.contents)]);
    const packages = await inFolder(Object.entries({ ...Object.fromEntries(contents), ...all }), (folder) =>
      packagesOf(folder, { platforms, date })
    );

    const backends = async (zip: Uint8Array) =>
      (await readZip(zip)).map(({ path }) => basename(path)).filter((name) => name in all);
    const [whole, ...each] = packages;
    assert.equal(whole.name, `${id}-${version}.zip`);
    assert.deepEqual(await backends(whole.zip), Object.keys(all).toSorted());
    assert.equal(each.length, platforms.length);
    for (const [index, { name, zip }] of each.entries()) {
      const { os, arch } = platforms[index];
      assert.equal(name, `${id}-${version}.${os}_${arch}.zip`);
      assert.deepEqual(await backends(zip), [binaryName(platforms[index])]);
    }
  });
});

async function inFolder<T>(contents: Array<[string, string]>, work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-archive-'));
  try {
    for (const [path, text] of contents) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return await work(folder);
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
