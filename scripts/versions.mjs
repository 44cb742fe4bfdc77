// Checks that the version is the same wherever it shows: `npm run versions`. With a tag, that it can be released:
//
//   npm run versions -- v1.0.0                    checks
//   npm run versions -- v1.0.0 --notes <file>     and writes the changelog's section into a file
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/paths.mjs';
import { main } from './lib/progress.mjs';
import { changesOf, versionProblems } from './package/versions.mjs';

const read = (file) => readFileSync(join(root, file), 'utf8');

async function versions() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { notes: { type: 'string' } } });
  const { version } = JSON.parse(read('package.json'));
  const changelog = read('CHANGELOG.md');
  const problems = versionProblems({
    version,
    lock: JSON.parse(read('package-lock.json')),
    plugin: JSON.parse(read('src/plugin.json')),
    changelog,
    tag: positionals[0],
  });
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
  if (values.notes) {
    writeFileSync(values.notes, `${changesOf(changelog, version)}\n`);
  }
  console.log(`✔ ${version} everywhere`);
}

await main(versions);
