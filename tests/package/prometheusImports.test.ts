import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import webpack from 'webpack';
import { PROMETHEUS_IMPORTS, PrometheusImportsPlugin, type Replacements } from '../../webpack/prometheusImports.ts';

const LIBRARY = 'node_modules/@grafana/prometheus/dist/esm';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gpucloud-webpack-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Builds the files of @grafana/prometheus whose imports the plugin replaces, and resolves to the errors. */
async function build(replacements: Replacements, project = process.cwd()): Promise<string[]> {
  const importers = Object.keys(PROMETHEUS_IMPORTS).map((file) => join(project, LIBRARY, file));
  const replaced = Object.values(PROMETHEUS_IMPORTS).flatMap((imports) => Object.keys(imports));
  const entry = join(folder, 'entry.js');
  writeFileSync(entry, importers.map((file) => `import ${JSON.stringify(file)};\n`).join(''));
  const compiler = webpack({
    mode: 'none',
    entry,
    output: { path: folder },
    // Only those files are of interest, with what they get.
    externals: ({ contextInfo, request = '' }, done) => {
      const isOfInterest = !contextInfo?.issuer || contextInfo.issuer === entry || replaced.includes(request);
      return isOfInterest ? done() : done(undefined, '{}');
    },
    module: {
      rules: [
        { test: /\.tsx?$/, loader: 'swc-loader', options: { jsc: { parser: { syntax: 'typescript', tsx: true } } } },
      ],
    },
    plugins: [new PrometheusImportsPlugin(replacements, project)],
  });
  return new Promise((resolve, reject) =>
    compiler.run((error, stats) =>
      compiler.close(() => (error ? reject(error) : resolve((stats?.compilation.errors ?? []).map(String))))
    )
  );
}

describe('the replacing of imports of @grafana/prometheus', () => {
  it('passes as the package is', async () => {
    assert.deepEqual(await build(PROMETHEUS_IMPORTS), []);
  });

  it('passes where node_modules is a link', async () => {
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'), 'dir');

    assert.deepEqual(await build(PROMETHEUS_IMPORTS, folder), []);
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
