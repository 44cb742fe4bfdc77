import path from 'node:path';
import process from 'node:process';
import TerserPlugin from 'terser-webpack-plugin';
import type { Configuration, RuleSetRule } from 'webpack';

import scaffoldedConfig, { type Env } from './.config/webpack/webpack.config.ts';
import { PrometheusImportsPlugin } from './webpack/prometheusImports.ts';
import { SharedImportsPlugin } from './webpack/sharedImports.ts';

/** Bytes of the minified `module.js`. Grafana loads this file with the first panel, before any editor is opened. */
const MODULE_SIZE_LIMIT = 250_000;

/**
 * Compiles the plugin's own code for the browsers that Grafana itself supports, like the libraries that are bundled as
 * they are: ES2015, the scaffold's target, adds 18 KB of helpers to `module.js`. And keeps the project's folder out of
 * what is built, so that the same sources make the same bytes anywhere: webpack makes the paths of a source map relative
 * if it gets it parsed, and else chunks' hashes tell where they were made.
 */
function ownCode(rule: RuleSetRule): RuleSetRule {
  const use = rule.use;
  if (
    typeof use !== 'object' ||
    Array.isArray(use) ||
    use?.loader !== 'swc-loader' ||
    typeof use.options !== 'object'
  ) {
    return rule;
  }
  const jsc = { ...use.options.jsc, target: 'es2022' };
  return { ...rule, use: { ...use, options: { ...use.options, jsc, parseMap: true } } };
}

const config = async (env: Env): Promise<Configuration> => {
  const base = await scaffoldedConfig(env);
  return {
    ...base,
    // Outside of node_modules, which `npm ci` deletes. Where the front end is built once, writing it takes a sixth of the time.
    cache:
      typeof base.cache === 'object' && process.env.WEBPACK_CACHE !== 'none'
        ? { ...base.cache, cacheDirectory: path.resolve('.cache/webpack') }
        : false,
    // Grafana shares `rxjs`, which has had the operators since version 7, but not `rxjs/operators`.
    externals: [...[base.externals ?? []].flat(), { 'rxjs/operators': 'rxjs' }],
    module: {
      ...base.module,
      rules: base.module?.rules?.map((rule) => (rule && typeof rule === 'object' ? ownCode(rule) : rule)),
    },
    resolve: {
      ...base.resolve,
      alias: {
        // The package has an ES and a CommonJS build. With both in the bundle, translations are loaded into one of
        // them and read from the other.
        '@grafana/i18n$': path.resolve(process.cwd(), 'node_modules/@grafana/i18n/dist/esm/index.mjs'),
      },
    },
    optimization: {
      ...base.optimization,
      minimizer: [
        new TerserPlugin({
          minify: TerserPlugin.swcMinify,
          terserOptions: {
            format: { comments: { regex: '\\[create-plugin\\]' } },
            compress: { pure_funcs: ['console.log', 'console.info'] },
          },
          extractComments: false,
        }),
      ],
    },
    performance: {
      hints: env.production ? 'error' : false,
      maxAssetSize: MODULE_SIZE_LIMIT,
      maxEntrypointSize: MODULE_SIZE_LIMIT,
      // Other files are loaded by the editors that need them.
      assetFilter: (file: string) => file === 'module.js',
    },
    plugins: [...(base.plugins ?? []), new PrometheusImportsPlugin(), new SharedImportsPlugin()],
  };
};

export default config;
