import { buildFrontEnd } from '../lib/builds.mjs';
import { step } from '../lib/progress.mjs';
import { zipFolder } from './archive.mjs';
import { readZip } from './read.mjs';
import { id, platforms as all, sourceDate, version } from './release.mjs';
import { stage } from './stage.mjs';
import { validate } from './validate.mjs';

/**
 * Builds the plugin, puts its folder together, packs and checks it.
 *
 * @param {string} folder Where the plugin's folder is put together.
 * @param {{ platforms: { os: string, arch: string }[] }} options
 * @returns {Promise<{ name: string, zip: Uint8Array, components: number }>} `name` is the file's.
 */
export async function build(folder, { platforms }) {
  const date = await sourceDate();
  await buildFrontEnd();
  const components = await stage(folder, { platforms, date });
  const zip = await step('Packed', async () => zipFolder(folder, { name: id, date }));
  await step('Package checked', () => check(zip, platforms));
  const suffix =
    platforms.length === all.length ? '' : `.${platforms.map(({ os, arch }) => `${os}_${arch}`).join('.')}`;
  return { name: `${id}-${version}${suffix}.zip`, zip, components };
}

async function check(zip, platforms) {
  const problems = validate(await readZip(zip), platforms);
  if (problems.length > 0) {
    throw new Error(`The package can't be published:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}
