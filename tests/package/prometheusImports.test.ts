import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import webpack from 'webpack';
import { PrometheusImportsPlugin, type Replacements } from '../../webpack/prometheusImports.ts';

/** A file of @grafana/prometheus that imports little. */
const SEMVER_IMPORTER = join(process.cwd(), 'node_modules/@grafana/prometheus/dist/esm/datasource.mjs');

let folder: string;
before(() => (folder = mkdtempSync(join(tmpdir(), 'gpucloud-webpack-'))));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Builds a file that imports one of @grafana/prometheus, and resolves to the errors. */
async function build(replacements: Replacements): Promise<string[]> {
  const entry = join(folder, 'entry.js');
  writeFileSync(entry, `import ${JSON.stringify(SEMVER_IMPORTER)};`);
  const compiler = webpack({
    mode: 'none',
    entry,
    output: { path: folder },
    resolve: { extensions: ['.ts', '.js'] },
    // Only that file is of interest, with what it gets instead of semver.
    externals: ({ contextInfo, request }, done) =>
      contextInfo?.issuer === SEMVER_IMPORTER && request !== 'semver' ? done(undefined, '{}') : done(),
    module: {
      rules: [{ test: /\.ts$/, loader: 'swc-loader', options: { jsc: { parser: { syntax: 'typescript' } } } }],
    },
    plugins: [new PrometheusImportsPlugin(replacements)],
  });
  return new Promise((resolve, reject) =>
    compiler.run((error, stats) =>
      compiler.close(() => (error ? reject(error) : resolve((stats?.compilation.errors ?? []).map(String))))
    )
  );
}

describe('the replacing of imports of @grafana/prometheus', () => {
  it('passes where the import is there', async () => {
    assert.deepEqual(await build({ 'datasource.mjs': { semver: 'semver.ts' } }), []);
  });

  it('fails the build where the importing file has another import', async () => {
    const [error] = await build({ 'datasource.mjs': { 'semver/functions/gte': 'semver.ts' } });
    assert.match(error, /datasource\.mjs of @grafana\/prometheus does not import semver\/functions\/gte/);
  });

  it('fails the build where the importing file has gone', async () => {
    const [error] = await build({ 'moved/annotations.mjs': { semver: 'noEditor.ts' } });
    assert.match(error, /moved\/annotations\.mjs of @grafana\/prometheus does not import semver/);
  });
});
