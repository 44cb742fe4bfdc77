// The package is built for this machine and unpacked, and its backend is started as Grafana starts it and queried.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { host } from '../../scripts/lib/builds.mjs';
import { startStack } from '../../scripts/lib/stack.mjs';
import { build } from '../../scripts/package/build.mjs';
import { readZip } from '../../scripts/package/read.mjs';
import { binaryName, id, version } from '../../scripts/package/release.mjs';

const BUILD_WITHIN_MS = 300_000;

type Stack = Awaited<ReturnType<typeof startStack>>;
type Entry = Awaited<ReturnType<typeof readZip>>[number];

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-package-'));
  const installed = join(folder, 'plugins', id);
  let entries: Entry[];
  let stack: Stack | undefined;

  before(
    async () => {
      const { packages } = await build(join(folder, 'stage'), { platforms: [host] });
      entries = await readZip(packages[0].zip);
      unpack(entries, join(folder, 'plugins'));
      stack = await startStack({ pluginDir: installed });
    },
    { timeout: BUILD_WITHIN_MS }
  );

  after(async () => {
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has a backend that starts and reaches the platform', async () => {
    const response = await fetch(`${stack!.previewUrl}/api/datasources/uid/gpucloud/health`);

    const { status, message } = await response.json();
    assert.equal(status, 'OK', message);
  });

  it('has the version in its backend', async () => {
    const { contents } = entries.find(({ path }) => path === `${id}/${binaryName(host)}`)!;

    assert.ok(contents.includes(`{"pluginID":"${id}","version":"${version}"}`));
  });

  it('has the files that plugin.json names, and a readme for the catalog, where relative links lead nowhere', () => {
    const { includes, info } = JSON.parse(textOf(entries, 'plugin.json'));
    const paths = entries.map(({ path }) => path);
    const missing = includes.filter(({ path }: { path?: string }) => path && !paths.includes(`${id}/${path}`));

    assert.deepEqual(missing, []);
    assert.equal(info.version, version);
    assert.match(info.updated, /^\d{4}-\d{2}-\d{2}$/);
    assert.doesNotMatch(textOf(entries, 'README.md'), /\]\((?!https:|#)|(src|srcset|href)="(?!https:)|<!--|%[A-Z]+%/);
  });

  it('names the license of everything that it contains', () => {
    const document = textOf(entries, 'THIRD_PARTY_LICENSES.txt');
    const bill = JSON.parse(textOf(entries, 'sbom.cdx.json'));
    const names = bill.components.map(({ name }: { name: string }) => name);

    // One of each kind: bundled in the front end, linked into the backend, and Go's standard library.
    for (const name of ['@grafana/prometheus', 'github.com/grafana/grafana-plugin-sdk-go', 'std']) {
      assert.ok(names.includes(name), `${name} is in the bill of materials`);
      assert.ok(document.includes(`\n- ${name} `), `${name} is in the licenses`);
    }
    assert.ok(!names.includes('react'), 'what Grafana provides is not in the package');
    assert.ok(!names.includes('jest'), 'tools are not in the package');
  });
});

function unpack(entries: Entry[], folder: string) {
  for (const { path, mode, contents } of entries) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents, { mode: mode & 0o777 });
  }
}

function textOf(entries: Entry[], path: string) {
  return entries.find((entry) => entry.path === `${id}/${path}`)!.contents.toString('utf8');
}
