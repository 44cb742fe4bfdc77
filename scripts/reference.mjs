// Makes the pages on metrics and XID codes, what the backend knows of metrics, the schema of queries and settings, and the texts to
// translate, from the catalog of metrics, the XID codes, the reference pages and the front end: `npm run reference`. With `--check` nothing is written; it fails if a file is not what the sources make.
import { update } from '../dashboards/generatedFile.ts';
import { main } from './lib/progress.mjs';
import { localeFile } from './reference/locale.mjs';
import { metadataFile } from './reference/metadata.mjs';
import { metricsPage } from './reference/metrics.mjs';
import { schemaFile } from './reference/schema.mjs';
import { xidPage } from './reference/xid.mjs';

const FILES = [
  { path: 'docs/reference/metrics.md', make: metricsPage },
  { path: 'docs/reference/xid.md', make: xidPage },
  { path: 'pkg/prom/catalog.json', make: metadataFile },
  { path: 'src/schema/v0alpha1.json', make: schemaFile },
  { path: 'src/locales/en-US/gpucloud-platform-datasource.json', make: localeFile },
];

async function generate() {
  const isCheck = process.argv.includes('--check');
  const files = FILES.map(({ path, make }) => ({ path, content: make() }));
  if ((await update(files, isCheck)) === 0 || !isCheck) {
    return 0;
  }
  console.log('Run `npm run reference`.');
  return 1;
}

await main(generate);
