// Compares what the built front end uses of the packages that Grafana shares with what they export in the oldest Grafana that
// it says it runs on, and in the newest: `npm run compatible`. Needs npm's registry.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { minVersion } from 'semver';
import { buildFrontEnd } from './lib/builds.mjs';
import { mustRun } from './lib/command.mjs';
import { cache, root } from './lib/paths.mjs';
import { main, step } from './lib/progress.mjs';

async function compatible() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'src', 'plugin.json'), 'utf8'));
  const oldest = minVersion(dependencies.grafanaDependency).version;
  await buildFrontEnd();
  // What the plugin, with all that is bundled in it, uses of the shared modules: names, or `true` where all of it may be.
  const used = JSON.parse(readFileSync(join(cache, 'shared-imports.json'), 'utf8'));
  for (const version of [oldest, 'latest']) {
    await step(`Compatible with ${version}`, () => compare(used, version));
  }
}

async function compare(used, version) {
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-compatible-'));
  try {
    const missing = [];
    for (const [module, names] of Object.entries(used)) {
      if (names !== true && module.startsWith('@grafana/')) {
        const exported = await exportsOf(module, version, folder);
        missing.push(...names.filter((name) => !exported.includes(name)).map((name) => `${name} of ${module}`));
      }
    }
    if (missing.length > 0) {
      throw new Error(`Grafana ${version} does not export what the plugin uses: ${missing.join(', ')}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Names that a module exports. What it depends on, which npm may not be able to install, is not read. */
async function exportsOf(module, version, folder) {
  const target = join(folder, 'node_modules', module);
  mkdirSync(target, { recursive: true });
  const { stdout } = await mustRun('npm', ['pack', '--silent', '--pack-destination', folder, `${module}@${version}`]);
  await mustRun('tar', ['-xzf', join(folder, stdout.trim()), '-C', target, '--strip-components=1']);
  const { metafile } = await build({
    stdin: { contents: `export * from ${JSON.stringify(module)}`, resolveDir: folder },
    bundle: true,
    format: 'esm',
    loader: { '.css': 'empty' },
    logLevel: 'silent',
    metafile: true,
    plugins: [externalBut(module)],
    write: false,
  });
  return Object.values(metafile.outputs)[0].exports;
}

const externalBut = (module) => ({
  name: 'external',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => (path === module ? undefined : { path, external: true }));
  },
});

await main(compatible);
