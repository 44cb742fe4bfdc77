import { id, version } from '../../scripts/package/release.mjs';

const FILES = {
  'plugin.json': JSON.stringify({ id, info: { version } }),
  'module.js': 'define([])',
  'README.md': '# GPU Cloud',
  'dashboards/node.json': '{}',
};

/** The files of a package, as it is read. */
export const good = () =>
  Object.entries({ ...FILES, gpx_gpucloud_linux_amd64: 'binary' }).map(([path, contents]) => ({
    path: `${id}/${path}`,
    contents: Buffer.from(contents),
  }));

/** Of each file. */
export const date = new Date('2027-01-31T23:30:00Z');
