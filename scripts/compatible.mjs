// Compares the functions of Grafana's packages that the front end uses with those of the oldest Grafana that it says
// it runs on, and of the newest: `npm run compatible`. Needs npm's registry.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { minVersion } from 'semver';
import { run } from './lib/command.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';

const LEVITATE = '@grafana/levitate@0.17.2';
/** The packages that Grafana provides to plugins at run time; the others are bundled. */
const PROVIDED = ['@grafana/data', '@grafana/ui', '@grafana/runtime'];

async function compatible() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'src', 'plugin.json'), 'utf8'));
  const oldest = minVersion(dependencies.grafanaDependency).version;
  for (const version of [oldest, 'latest']) {
    const target = PROVIDED.map((name) => `${name}@${version}`).join(',');
    await step(`Compatible with ${version}`, () => check(target));
  }
}

async function check(target) {
  const args = ['--yes', LEVITATE, 'is-compatible', '--path', 'src/module.ts', '--target', target];
  const output = stripVTControlCharacters((await run('npx', args)).output);
  // The exit code is not usable: it is 0 if nothing could be compared, and 1 for changes that are counted and not listed.
  const compared = output.match(/Successfully compared versions/g)?.length ?? 0;
  if (compared < PROVIDED.length || /^\s*\d+\) .*\b(Removed|Changed)\b/m.test(output)) {
    throw new Error(output.trim());
  }
}

await main(compatible);
