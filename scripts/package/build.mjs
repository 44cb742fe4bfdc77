import { buildFrontEnd } from '../lib/builds.mjs';
import { step } from '../lib/progress.mjs';
import { zipFolder } from './archive.mjs';
import { binaryName, id, platforms as all, sourceDate, version } from './release.mjs';
import { stage } from './stage.mjs';

/** The largest package for one platform. */
const MAX_BYTES = 25e6;

/**
 * Builds the plugin, puts its folder together, and packs it. Grafana's validator looks at the packages in the workflow.
 *
 * @param {string} folder Where the plugin's folder is put together.
 * @param {{ platforms: { os: string, arch: string }[] }} options
 * @returns {Promise<{ packages: Package[], components: number }>}
 */
export async function build(folder, { platforms }) {
  const date = await sourceDate();
  await buildFrontEnd();
  const components = await stage(folder, { platforms, date });
  return { packages: await step('Packed', async () => packagesOf(folder, { platforms, date })), components };
}

/**
 * Packs a plugin's folder: for all of its platforms and, if those are all there are, for each one, too, because Grafana's catalog
 * takes both.
 *
 * @typedef {{ name: string, zip: Uint8Array }} Package `name` is the file's.
 * @param {string} folder
 * @param {{ platforms: { os: string, arch: string }[], date: Date }} options
 * @returns {Package[]}
 */
export function packagesOf(folder, { platforms, date }) {
  const isWhole = platforms.length === all.length;
  const packages = [];
  for (const chosen of [platforms, ...(isWhole ? platforms.map((platform) => [platform]) : [])]) {
    const others = platforms.filter((platform) => !chosen.includes(platform)).map(binaryName);
    const zip = zipFolder(folder, { name: id, date, without: others });
    const suffix = chosen.length === all.length ? '' : `.${chosen.map(({ os, arch }) => `${os}_${arch}`).join('.')}`;
    const name = `${id}-${version}${suffix}.zip`;
    if (chosen.length === 1 && zip.length > MAX_BYTES) {
      throw new Error(`${name} has ${zip.length} bytes, of at most ${MAX_BYTES}.`);
    }
    packages.push({ name, zip });
  }
  return packages;
}
