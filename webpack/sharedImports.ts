import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import webpack, { type Compiler, type WebpackPluginInstance } from 'webpack';

/** Names that are used of each module that Grafana shares; `true` where all of it may be. */
type SharedImports = Record<string, string[] | true>;

const FILE = path.resolve('.cache/shared-imports.json');

/**
 * Writes down what the built plugin uses of the modules that Grafana shares: by itself, and by the libraries that are
 * bundled. A test compares it with what they export.
 */
export class SharedImportsPlugin implements WebpackPluginInstance {
  apply(compiler: Compiler) {
    compiler.hooks.afterEmit.tap('SharedImportsPlugin', ({ modules, moduleGraph }) => {
      const used: SharedImports = {};
      for (const module of modules) {
        if (module instanceof webpack.ExternalModule) {
          const names = moduleGraph.getExportsInfo(module).getUsedExports(undefined);
          used[module.userRequest] = typeof names === 'object' && names ? [...names].sort() : true;
        }
      }
      mkdirSync(path.dirname(FILE), { recursive: true });
      writeFileSync(FILE, JSON.stringify(used, null, 2));
    });
  }
}
