// Makes the package twice, here and from a clean copy of the committed sources with its dependencies installed anew and
// no cache, and compares: `npm run reproduce`. Takes the options of `npm run package`.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun } from './lib/command.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';

async function reproduce() {
  const options = process.argv.slice(2);
  const copy = mkdtempSync(join(tmpdir(), 'gpucloud-reproduce-'));
  try {
    await step('Packaged here', () => mustRun('node', ['scripts/package.mjs', ...options]));
    const here = await contents(root);
    await step('Sources copied', () =>
      mustRun('git', ['clone', '--quiet', '--no-hardlinks', root, join(copy, 'sources')])
    );
    const sources = join(copy, 'sources');
    await step('Dependencies installed', () => mustRun('npm', ['ci', '--no-audit', '--no-fund'], { cwd: sources }));
    await step('Packaged there', () =>
      mustRun('node', ['scripts/package.mjs', ...options], { cwd: sources, env: { GOCACHE: join(copy, 'go') } })
    );
    const there = await contents(sources);
    if (here.sum !== there.sum) {
      throw new Error(`The two packages differ.\n${differences(here.files, there.files).join('\n')}`);
    }
    console.log(`\nThe same twice: ${here.sum}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The package that was made in a repository: its sum, and the sum of each file in it. */
async function contents(repository) {
  const { sha256 } = await import('./package/archive.mjs');
  const { readZip } = await import('./package/read.mjs');
  const artifacts = join(repository, 'artifacts');
  const name = readdirSync(artifacts).find((file) => file.endsWith('.zip'));
  const zip = readFileSync(join(artifacts, name));
  const entries = await readZip(zip);
  return {
    sum: `${sha256(zip)}  ${name}`,
    files: new Map(entries.map(({ path, mode, contents }) => [path, `${mode.toString(8)} ${sha256(contents)}`])),
  };
}

function differences(here, there) {
  const paths = [...new Set([...here.keys(), ...there.keys()])].filter((path) => here.get(path) !== there.get(path));
  return paths.length > 0
    ? paths.map((path) => `  ${path}: ${here.get(path) ?? 'missing'} here, ${there.get(path) ?? 'missing'} there`)
    : ['  Every file is the same, so it is their order or their times.'];
}

await main(reproduce);
