import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256 } from '../../scripts/package/archive.mjs';
import { id, version } from '../../scripts/package/release.mjs';
import { validate } from '../../scripts/package/validate.mjs';
import { BINARY, file, good, platforms, plugin, type Entry } from './examplePackage.ts';

const without = (path: string) => good().filter((entry) => entry.path !== `${id}/${path}`);
const replaced = (...entries: Entry[]) => [
  ...good().filter(({ path }) => !entries.some((other) => other.path === path)),
  ...entries,
];
const withPlugin = (change: object) => replaced(file('plugin.json', JSON.stringify({ ...plugin, ...change })));
const withInfo = (change: object) => withPlugin({ info: { ...plugin.info, ...change } });

function signed(entries: Entry[], change = {}): Entry[] {
  const files = Object.fromEntries(entries.map(({ path, contents }) => [path.slice(id.length + 1), sha256(contents)]));
  const body = JSON.stringify({ plugin: id, version, files, ...change }, null, 2);
  const text = `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${body}\n-----BEGIN PGP SIGNATURE-----\n`;
  return [...entries, file('MANIFEST.txt', text)];
}

describe('a package that can be published', () => {
  for (const [name, entries] of Object.entries({ 'without a signature': good(), 'with one': signed(good()) })) {
    it(`has no problem ${name}`, () => assert.deepEqual(validate(entries, platforms), []));
  }
});

describe('a package is refused', () => {
  const refused: Array<[reason: string, entries: Entry[], problem: RegExp]> = [
    [
      'if a file is outside of its folder',
      [...good(), { ...file('', ''), path: 'dist/x.js' }],
      /has to be in the folder/,
    ],
    ['without a license', without('LICENSE'), /Missing or empty: LICENSE/],
    ['with an empty changelog', replaced(file('CHANGELOG.md', '')), /Missing or empty: CHANGELOG.md/],
    ['without source maps', without('module.js.map'), /module\.js\.map/],
    ['without a bill of materials', without('sbom.cdx.json'), /sbom\.cdx\.json/],
    ['of another plugin', withPlugin({ id: 'other' }), /the id other/],
    ['of another version', withInfo({ version: '0.0.1' }), /the version 0\.0\.1/],
    ['with a placeholder for its day', withInfo({ updated: '%TODAY%' }), /no day of the release/],
    ['if a dashboard is missing', without('dashboards/node.json'), /dashboard that is not there/],
    ['without a backend for a platform', without(BINARY), /no backend for linux on amd64/],
    ['if a backend can not be executed', replaced(file(BINARY, 'binary')), /mode 100644 instead of 100755/],
    ['if another file can be executed', replaced(file('module.js', 'x', 0o100755)), /mode 100755 instead of 100644/],
    [
      'with a relative link in its readme',
      replaced(file('README.md', '[x](docs/x.md)')),
      /does not work in the catalog/,
    ],
    [
      'if a file differs from what was signed',
      [...signed(without('LICENSE')), file('LICENSE', 'x')],
      /LICENSE is not what/,
    ],
    ['if the signature is of another version', signed(good(), { version: '0.0.1' }), /MANIFEST\.txt is of/],
  ];
  for (const [reason, entries, problem] of refused) {
    it(reason, () => assert.match(validate(entries, platforms).join('\n'), problem));
  }
});
