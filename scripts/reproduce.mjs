// Makes the package twice, here and from a clean copy of the committed sources with its dependencies installed anew and
// no cache, and compares: `npm run reproduce`. Takes the options of `npm run package`.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { mustRun } from './lib/command.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';

async function reproduce() {
  await bootstrap();
  const options = process.argv.slice(2);
  const copy = mkdtempSync(join(tmpdir(), 'gpucloud-reproduce-'));
  try {
    await step('Packaged here', () => mustRun('node', ['scripts/package.mjs', ...options]));
    const here = checksums(root);
    await step('Sources copied', () =>
      mustRun('git', ['clone', '--quiet', '--no-hardlinks', root, join(copy, 'sources')])
    );
    const sources = join(copy, 'sources');
    await step('Dependencies installed', () => mustRun('npm', ['ci', '--no-audit', '--no-fund'], { cwd: sources }));
    await step('Packaged there', () =>
      mustRun('node', ['scripts/package.mjs', ...options], { cwd: sources, env: { GOCACHE: join(copy, 'go') } })
    );
    const there = checksums(sources);
    if (here !== there) {
      throw new Error(`The two packages differ.\nhere:  ${here}\nthere: ${there}`);
    }
    console.log(`\nThe same twice: ${here}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function checksums(folder) {
  const artifacts = join(folder, 'artifacts');
  return readdirSync(artifacts)
    .filter((file) => file.endsWith('.sha256'))
    .map((file) => readFileSync(join(artifacts, file), 'utf8').trim())
    .join('\n');
}

await main(reproduce);
