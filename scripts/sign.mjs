// Signs the package in artifacts/ that `npm run package` made: `npm run sign`, with GRAFANA_ACCESS_POLICY_TOKEN set.
//
//   npm run sign -- --rootUrls https://grafana.example.com/     a private plugin
//   npm run sign -- --signature MANIFEST.txt                    with a signature that is there already, and no token
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';
import { writePackage } from './package/archive.mjs';
import { signZip } from './package/sign.mjs';

async function sign() {
  const { values } = parseArgs({ options: { rootUrls: { type: 'string' }, signature: { type: 'string' } } });
  const file = onlyPackage(join(root, 'artifacts'));
  const signed = await step('Signed', () => signZip(readFileSync(file), values));
  console.log(writePackage(file, signed));
}

function onlyPackage(folder) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.zip')) : [];
  if (names.length !== 1) {
    throw new Error(`There are ${names.length} packages in artifacts/ instead of one. Make it with npm run package.`);
  }
  return join(folder, names[0]);
}

await main(sign);
