import path from 'node:path';
import process from 'node:process';
import webpack, { type Compiler, type Configuration, type WebpackPluginInstance } from 'webpack';

import scaffoldedConfig, { type Env } from './.config/webpack/webpack.config.ts';

/** Bytes of the minified `module.js`. Grafana loads this file with the first panel, before any editor is opened. */
const MODULE_SIZE_LIMIT = 300_000;

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
 * Cuts the imports by which `PrometheusDatasource` pulls its annotation and variable editors into `module.js`, 200 KB
 * that a panel has no use for. The plugin replaces both fields with editors that are loaded when they are shown.
 */
function leaveOutStaticEditors(): WebpackPluginInstance {
  const editors = /^\.\/components\/(AnnotationQueryEditor|VariableQueryEditor)\.mjs$/;
  const importers = /@grafana[\\/]prometheus[\\/]dist[\\/]esm[\\/](annotations|variables)\.mjs$/;
  return new webpack.NormalModuleReplacementPlugin(editors, (resource) => {
    if (importers.test(resource.contextInfo.issuer)) {
      resource.request = path.resolve(process.cwd(), 'src/metrics/noEditor.ts');
    }
  });
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}

const config = async (env: Env): Promise<Configuration> => {
  const base = await scaffoldedConfig(env);
  return {
    ...base,
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
      leaveOutStaticEditors(),
      ...(env.production ? [new ModuleSizePlugin(MODULE_SIZE_LIMIT)] : []),
    ],
  };
};

export default config;
