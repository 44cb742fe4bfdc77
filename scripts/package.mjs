// Makes the package for Grafana's catalog, and checks it: `npm run package`. Everything goes into artifacts/.
//
//   npm run package                               for all six platforms together, and for each of them
//   npm run package -- --platform linux/amd64     for one platform; can be repeated
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
  const { packages, components } = await build(join(folder, 'plugin'), { platforms });
  console.log(`\n${components} third-party components are in each of:`);
  for (const { name, zip } of packages) {
    console.log(`\nartifacts/${name}: ${(zip.length / 1e6).toFixed(1)} MB\n${writePackage(join(folder, name), zip)}`);
  }
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
