import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { cache } from './paths.mjs';

/**
 * What the built plugin, with all that is bundled in it, uses of the modules that Grafana shares: the names, or `true`
 * where all of it may be. The build of the front end writes it.
 *
 * @returns {Record<string, string[] | true>}
 */
export const sharedImports = () => JSON.parse(readFileSync(join(cache, 'shared-imports.json'), 'utf8'));

/**
 * What is used of Grafana's modules and is not among their exports.
 *
 * @param {ReturnType<typeof sharedImports>} used
 * @param {string} folder Has the modules below `node_modules`.
 * @param {(module: string) => boolean} [isCompared]
 * @returns {Promise<string[]>} Such as `floatingUtils of @grafana/ui`.
 */
export async function missingExports(used, folder, isCompared = () => true) {
  const missing = [];
  for (const [module, names] of Object.entries(used)) {
    if (names !== true && isCompared(module)) {
      const exported = await exportsOf(module, folder);
      missing.push(...names.filter((name) => !exported.has(name)).map((name) => `${name} of ${module}`));
    }
  }
  return missing;
}

/** Names that a module exports: those of an ES module, or the members of a CommonJS module. */
async function exportsOf(module, folder) {
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
  const [{ exports }] = Object.values(metafile.outputs);
  return new Set(exports.length > 0 ? exports : Object.keys(createRequire(join(folder, 'package.json'))(module)));
}

/** Other packages are not read. */
const externalBut = (module) => ({
  name: 'external',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => (path === module ? undefined : { path, external: true }));
  },
});
