// Makes the package for Grafana's catalog, and checks it: `npm run package`. Everything goes into artifacts/.
//
//   npm run package -- --platform linux/amd64     for one platform instead of six; can be repeated
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/paths.mjs';
import { main } from './lib/progress.mjs';
import { writePackage } from './package/archive.mjs';
import { build } from './package/build.mjs';
import { platforms as all } from './package/release.mjs';

async function makePackage() {
  const { values } = parseArgs({
    options: {
      platform: { type: 'string', multiple: true },
    },
  });
  const platforms = values.platform ? values.platform.map((name) => platformNamed(name, all)) : all;
  const folder = join(root, 'artifacts');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { name, zip, components } = await build(join(folder, 'plugin'), { platforms });
  const sums = writePackage(join(folder, name), zip);
  const megabytes = (zip.length / 1e6).toFixed(1);
  console.log(
    `\nartifacts/${name}: ${megabytes} MB, ${platforms.length} platforms, ${components} third-party components`
  );
  console.log(sums);
}

function platformNamed(name, platforms) {
  const platform = platforms.find(({ os, arch }) => `${os}/${arch}` === name);
  if (!platform) {
    throw new Error(
      `${name} is no platform. There are: ${platforms.map(({ os, arch }) => `${os}/${arch}`).join(', ')}.`
    );
  }
  return platform;
}

await main(makePackage);
