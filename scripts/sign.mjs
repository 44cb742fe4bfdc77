// Signs the packages in artifacts/ that `npm run package` made: `npm run sign`, with GRAFANA_ACCESS_POLICY_TOKEN set.
//
//   npm run sign -- --rootUrls https://grafana.example.com/     a private plugin
//   npm run sign -- --signatures <folder>                       with signatures that are there, <package>.MANIFEST.txt, and no token
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';
import { writePackage } from './package/archive.mjs';
import { signZip } from './package/sign.mjs';

async function sign() {
  const { values } = parseArgs({ options: { rootUrls: { type: 'string' }, signatures: { type: 'string' } } });
  const { rootUrls, signatures } = values;
  const files = globSync(join(root, 'artifacts', '*.zip'));
  if (files.length === 0) {
    throw new Error('There is no package in artifacts/. Make it with npm run package.');
  }
  for (const file of files) {
    const signature = signatures && join(signatures, `${basename(file)}.MANIFEST.txt`);
    const signed = await step(`Signed ${basename(file)}`, () => signZip(readFileSync(file), { rootUrls, signature }));
    console.log(writePackage(file, signed));
  }
}

await main(sign);
