import path from 'node:path';
import process from 'node:process';
import type { Compiler, Configuration, RuleSetRule, WebpackPluginInstance } from 'webpack';

import scaffoldedConfig, { type Env } from './.config/webpack/webpack.config.ts';
import { PrometheusImportsPlugin } from './webpack/prometheusImports.ts';

/** Bytes of the minified `module.js`. Grafana loads this file with the first panel, before any editor is opened. */
const MODULE_SIZE_LIMIT = 250_000;

/** Prints the size of the emitted `module.js`, and fails the build when it exceeds `limit` bytes. */
class ModuleSizePlugin implements WebpackPluginInstance {
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  apply(compiler: Compiler) {
    compiler.hooks.afterEmit.tap('ModuleSizePlugin', (compilation) => {
      const size = compilation.getAsset('module.js')?.source.size();
      if (size === undefined) {
        compilation.errors.push(new compiler.webpack.WebpackError('module.js was not emitted'));
        return;
      }
      const summary = `module.js: ${kilobytes(size)} minified, limit ${kilobytes(this.limit)}`;
      console.log(summary);
      if (size > this.limit) {
        compilation.errors.push(
          new compiler.webpack.WebpackError(`${summary}. Load what a panel does not need with import().`)
        );
      }
    });
  }
}

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

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}

const config = async (env: Env): Promise<Configuration> => {
  const base = await scaffoldedConfig(env);
  return {
    ...base,
    // Outside of node_modules, which `npm ci` deletes.
    cache: typeof base.cache === 'object' ? { ...base.cache, cacheDirectory: path.resolve('.cache/webpack') } : false,
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
    // ModuleSizePlugin has the say on size.
    performance: false,
    plugins: [
      ...(base.plugins ?? []),
      new PrometheusImportsPlugin(),
      ...(env.production ? [new ModuleSizePlugin(MODULE_SIZE_LIMIT)] : []),
    ],
  };
};

export default config;
