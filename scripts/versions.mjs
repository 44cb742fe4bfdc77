// Checks that the version is the same wherever it shows: `npm run versions`. With a tag, that it can be released:
//
//   npm run versions -- v1.0.0                    checks
//   npm run versions -- v1.0.0 --notes <file>     and writes the changelog's section into a file
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/paths.mjs';
import { main } from './lib/progress.mjs';

const read = (file) => readFileSync(join(root, file), 'utf8');

async function versions() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { notes: { type: 'string' } } });
  const { version } = JSON.parse(read('package.json'));
  const [tag = `v${version}`] = positionals;
  const sections = read('CHANGELOG.md')
    .split(/^## /m)
    .slice(1)
    .filter((section) => !section.startsWith('Unreleased'));
  const [, day, notes] = /^\S+ - (\d{4}-\d{2}-\d{2})\n([^]*)$/.exec(sections[0]) ?? [];
  const rules = [
    [
      /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version),
      `package.json: ${version} is no version of the form 1.2.3 or 1.2.3-rc.1.`,
    ],
    [JSON.parse(read('package-lock.json')).version === version, `Use: npm version ${version} --no-git-tag-version`],
    [JSON.parse(read('src/plugin.json')).info.version === '%VERSION%', 'src/plugin.json has a version of its own.'],
    [tag === `v${version}`, `The tag ${tag} is not v${version}, the version of package.json.`],
    [sections[0].startsWith(`${version} `) && day, `CHANGELOG.md does not begin with "## ${version} - 2027-01-31".`],
  ];
  const problems = rules.filter(([holds]) => !holds).map(([, problem]) => problem);
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
  if (values.notes) {
    writeFileSync(values.notes, notes.trimStart());
  }
  console.log(`✔ ${version} everywhere, changed on ${day}`);
}

await main(versions);
