import { id, version } from '../../scripts/package/release.mjs';

export interface Entry {
  path: string;
  mode: number;
  date: Date;
  contents: Buffer;
}

export const BINARY = 'gpx_gpucloud_linux_amd64';
export const platforms = [{ os: 'linux', arch: 'amd64' }];
export const file = (path: string, contents: string | Buffer, mode = 0o100644): Entry => ({
  path: `${id}/${path}`,
  mode,
  date: new Date('2027-01-31T00:00:00Z'),
  contents: Buffer.from(contents),
});

export const plugin = {
  id,
  includes: [{ type: 'dashboard', path: 'dashboards/node.json' }],
  info: {
    version,
    updated: '2027-01-31',
  },
};

/** The files of a package that can be published. */
export const good = (): Entry[] => [
  file('plugin.json', JSON.stringify(plugin)),
  file('module.js', 'define([])'),
  file('module.js.map', '{}'),
  file('README.md', '# GPU Cloud\n\nSee [the documentation](https://example.com/docs).'),
  file('CHANGELOG.md', '# Changelog'),
  file('LICENSE', 'GNU AFFERO GENERAL PUBLIC LICENSE'),
  file('THIRD_PARTY_LICENSES.txt', 'text'),
  file('sbom.cdx.json', '{}'),
  file('go_plugin_build_manifest', 'hash:pkg/main.go'),
  file('img/logo.svg', '<svg/>'),
  file('dashboards/node.json', '{}'),
  file(BINARY, 'binary', 0o100755),
];
