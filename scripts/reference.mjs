// Makes pages of docs/reference, and what the backend knows of metrics, from the types of saved queries, the catalog of metrics,
// the XID codes and the settings: `npm run reference`. With `--check` nothing is written; it fails if a file is not what the sources make.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './lib/paths.mjs';
import { main } from './lib/progress.mjs';
import { metadataFile } from './reference/metadata.mjs';
import { metricsPage } from './reference/metrics.mjs';
import { queriesPage } from './reference/queries.mjs';
import { settingsPage } from './reference/settings.mjs';
import { xidPage } from './reference/xid.mjs';

const FILES = [
  { path: 'docs/reference/queries.md', make: queriesPage },
  { path: 'docs/reference/metrics.md', make: metricsPage },
  { path: 'docs/reference/settings.md', make: settingsPage },
  { path: 'docs/reference/xid.md', make: xidPage },
  { path: 'pkg/promclient/catalog.json', make: metadataFile },
];

async function generate() {
  const isCheck = process.argv.includes('--check');
  let stale = 0;
  for (const { path, make } of FILES) {
    const file = join(root, path);
    const content = await format(make(), { ...(await resolveConfig(file)), filepath: file });
    if (content === read(file)) {
      continue;
    }
    stale++;
    if (isCheck) {
      console.log(`Not what the sources make: ${path}. Run \`npm run reference\`.`);
    } else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      console.log(`Written: ${path}`);
    }
  }
  return isCheck && stale > 0 ? 1 : 0;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

await main(generate);
