import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import webpack from 'webpack';

// By its address: what it imports of the scaffold has no types.
const { default: config } = (await import(new URL('../../webpack.config.ts', import.meta.url).href)) as {
  default: (env: { production: boolean }) => Promise<webpack.Configuration>;
};

describe('a built front end', () => {
  it('is the same from every folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gpucloud-front-end-'));
    try {
      const here = await hashes(join(folder, 'here'));
      const there = await hashes(join(folder, 'elsewhere'));

      assert.deepEqual(here, there);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/**
 * Compiles a file as the plugin's own are, and returns the names of what is made of it: hashes, of the kind that chunks
 * have in source maps.
 */
async function hashes(folder: string): Promise<string[]> {
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src', 'example.ts'), 'export const example: number = 42;\n');
  const { module } = await config({ production: true });
  const compiler = webpack({
    mode: 'production',
    context: join(folder, 'src'),
    entry: './example.ts',
    devtool: 'source-map',
    module,
    resolveLoader: { modules: [join(import.meta.dirname, '../../node_modules')] },
    output: { path: join(folder, 'dist'), filename: '[contenthash].js' },
    optimization: { realContentHash: false },
  });
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) =>
    compiler.run((error, found) => (error ? reject(error) : resolve(found)))
  );
  assert.equal(stats?.hasErrors(), false, stats?.toString());
  await new Promise((resolve) => compiler.close(resolve));
  return readdirSync(join(folder, 'dist')).sort();
}
