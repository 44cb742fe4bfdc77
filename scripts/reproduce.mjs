// Makes the package twice, here and from a clean copy of the committed sources with its dependencies installed anew and
// no cache, and compares: `npm run reproduce`. Takes the options of `npm run package`.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
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
    const differing = [...new Set([...here.keys(), ...there.keys()])].filter((key) => here.get(key) !== there.get(key));
    if (differing.length > 0) {
      throw new Error(
        `These differ. If no file within a package does, it is their order or their times.\n${differing.join('\n')}`
      );
    }
    console.log(`\nThe same twice: ${[...here.keys()].filter((key) => key.endsWith('.zip')).join(', ')}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Sums of the packages that were made in a repository, and of each file in them. */
async function contents(repository) {
  const { sha256 } = await import('./package/archive.mjs');
  const { readZip } = await import('./package/read.mjs');
  const sums = new Map();
  for (const file of globSync(join(repository, 'artifacts', '*.zip'))) {
    const zip = readFileSync(file);
    sums.set(basename(file), sha256(zip));
    for (const { path, mode, contents } of await readZip(zip)) {
      sums.set(`${basename(file)}: ${path}`, `${mode.toString(8)} ${sha256(contents)}`);
    }
  }
  return sums;
}

await main(reproduce);
