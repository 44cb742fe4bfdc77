import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { sha256, zipFolder } from '../../scripts/package/archive.mjs';
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
    const hashes = await inFolder(Object.entries(files), (folder) =>
      ['UTC', 'Asia/Kolkata', 'America/Los_Angeles'].map((TZ) => {
        process.env.TZ = TZ;
        return sha256(zipFolder(folder, { name: 'plugin', date }));
      })
    );

    assert.equal(new Set(hashes).size, 1, hashes.join(' '));
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
