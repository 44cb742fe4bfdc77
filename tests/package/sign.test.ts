// A package is signed by Grafana's own tool, at a server with the responses of grafana.com.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { sha256, zipFolder } from '../../scripts/package/archive.mjs';
import { readZip } from '../../scripts/package/read.mjs';
import { id, version } from '../../scripts/package/release.mjs';
import { signZip } from '../../scripts/package/sign.mjs';
import { date, good } from './examplePackage.ts';

const TOKEN = 'glc_made-up';

interface Manifest {
  rootUrls?: string[];
  files: Record<string, string>;
}

describe('a package that is signed', () => {
  const environment = { ...process.env };
  const received: Manifest[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-certificate-'));
  let server: Server;
  let zip: Uint8Array;

  before(async () => {
    zip = zipped();
    const { key, cert } = certificate(folder);
    server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, async (request, response) => {
      if (request.url !== '/plugins/ci/sign' || request.headers.authorization !== `Bearer ${TOKEN}`) {
        response.writeHead(401).end('{"code":"InvalidCredentials"}');
        return;
      }
      const manifest = (await json(request)) as Manifest;
      received.push(manifest);
      response.end(
        `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${JSON.stringify(manifest, null, 2)}\n-----BEGIN PGP SIGNATURE-----\n`
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env.NODE_EXTRA_CA_CERTS = cert;
    process.env.NO_PROXY = '127.0.0.1';
    process.env.GRAFANA_COM_URL = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    process.env.GRAFANA_ACCESS_POLICY_TOKEN = TOKEN;
  });

  after(() => {
    process.env = environment;
    server.close();
    rmSync(folder, { recursive: true });
  });

  it('has the files of the one that was tested, and a signature that names them all', async () => {
    const tested = await readZip(zip);

    const signed = await readZip(await signZip(zip));

    const [signature] = signed.filter(({ path }) => path === `${id}/MANIFEST.txt`);
    assert.deepEqual(
      signed.filter((entry) => entry !== signature),
      tested
    );
    assert.match(signature.contents.toString(), /BEGIN PGP SIGNED MESSAGE/);
    assert.deepEqual(
      received.at(-1)?.files,
      Object.fromEntries(tested.map(({ path, contents }) => [path.slice(id.length + 1), sha256(contents)]))
    );
  });

  it('takes a signature that was made elsewhere, without a token', async () => {
    const [made] = (await readZip(await signZip(zip))).filter(({ path }) => path === `${id}/MANIFEST.txt`);
    const signature = join(folder, 'MANIFEST.txt');
    writeFileSync(signature, made.contents);
    delete process.env.GRAFANA_ACCESS_POLICY_TOKEN;
    try {
      const signed = await readZip(await signZip(zip, { signature }));

      assert.deepEqual(signed.find(({ path }) => path === made.path)?.contents, made.contents);
    } finally {
      process.env.GRAFANA_ACCESS_POLICY_TOKEN = TOKEN;
    }
  });

  it('names the addresses of a private plugin', async () => {
    await signZip(zip, { rootUrls: 'https://grafana.example.com/' });

    assert.deepEqual(received.at(-1)?.rootUrls, ['https://grafana.example.com/']);
  });

  it('is refused if the signature is of other files or of another version', async () => {
    const [made] = (await readZip(await signZip(zip))).filter(({ path }) => path === `${id}/MANIFEST.txt`);
    const signature = join(folder, 'other.txt');
    writeFileSync(signature, made.contents);
    await assert.rejects(signZip(zipped('module.js'), { signature }), /module\.js is not what was signed/);
    writeFileSync(signature, String(made.contents).replace(`"${version}"`, '"0.0.1"'));
    await assert.rejects(signZip(zip, { signature }), /The signature is of \S+ 0\.0\.1\./);
  });
});

/** Makes a key and a certificate for the server: the tool speaks HTTPS only. */
function certificate(folder: string) {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, ...files], {
    stdio: 'ignore',
  });
  return { key, cert };
}

/** The example package, with an empty file in place of one. */
function zipped(emptied?: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-unsigned-'));
  try {
    for (const { path, contents } of good()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), path === `${id}/${emptied}` ? '' : contents);
    }
    return zipFolder(join(folder, id), { name: id, date });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
