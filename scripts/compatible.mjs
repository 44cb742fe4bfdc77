// Compares what the built front end uses of the packages that Grafana shares with what they export in the oldest Grafana that
// it says it runs on, and in the newest: `npm run compatible`. Needs npm's registry. A test compares those that are installed.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minVersion } from 'semver';
import { buildFrontEnd } from './lib/builds.mjs';
import { mustRun } from './lib/command.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';
import { missingExports, sharedImports } from './lib/sharedExports.mjs';

async function compatible() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'src', 'plugin.json'), 'utf8'));
  const oldest = minVersion(dependencies.grafanaDependency).version;
  await buildFrontEnd();
  for (const version of [oldest, 'latest']) {
    await step(`Compatible with ${version}`, () => compare(version));
  }
}

/** Without what the packages depend on, which npm may not be able to install. */
async function compare(version) {
  const used = sharedImports();
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-compatible-'));
  try {
    for (const name of Object.keys(used).filter(isGrafanas)) {
      const target = join(folder, 'node_modules', name);
      mkdirSync(target, { recursive: true });
      const { stdout } = await mustRun('npm', ['pack', '--silent', '--pack-destination', folder, `${name}@${version}`]);
      await mustRun('tar', ['-xzf', join(folder, stdout.trim()), '-C', target, '--strip-components=1']);
    }
    const missing = await missingExports(used, folder, isGrafanas);
    if (missing.length > 0) {
      throw new Error(`Grafana ${version} does not export what the plugin uses: ${missing.join(', ')}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isGrafanas = (name) => name.startsWith('@grafana/');

await main(compatible);
