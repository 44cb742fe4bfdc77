// Signs the package in artifacts/ that `npm run package` made: `npm run sign`, with GRAFANA_ACCESS_POLICY_TOKEN set.
//
//   npm run sign -- --rootUrls https://grafana.example.com/     a private plugin
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from './lib/bootstrap.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';

async function sign() {
  await bootstrap();
  const { values } = parseArgs({ options: { rootUrls: { type: 'string' } } });
  // After the bootstrap, because these need what it installs.
  const { sha256 } = await import('./package/archive.mjs');
  const { signZip } = await import('./package/sign.mjs');
  const file = onlyPackage(join(root, 'artifacts'));
  const signed = await step('Signed', () => signZip(readFileSync(file), values));
  const hash = sha256(signed);
  writeFileSync(file, signed);
  writeFileSync(`${file}.sha256`, `${hash}  ${basename(file)}\n`);
  console.log(`sha256 ${hash}`);
}

function onlyPackage(folder) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.zip')) : [];
  if (names.length !== 1) {
    throw new Error(`There are ${names.length} packages in artifacts/ instead of one. Make it with npm run package.`);
  }
  return join(folder, names[0]);
}

await main(sign);
