import { realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import webpack, { type Compilation, type Compiler, type Module, type WebpackPluginInstance } from 'webpack';

/** What files of the package import, and what they get instead: file → import → replacement in `src/metrics`. */
export type Replacements = Record<string, Record<string, string>>;

/**
 * What some files of Grafana's Prometheus package import, and what they get instead.
 *
 * `PrometheusDatasource` pulls much into `module.js` that a panel has no use for: its annotation and variable editors,
 * 200 KB, which the plugin replaces with editors that are loaded when they are shown; and all of `semver`, of which it
 * calls one function. The query editor has no option to leave out the switch for exemplars.
 */
export const PROMETHEUS_IMPORTS: Replacements = {
  'annotations.mjs': { './components/AnnotationQueryEditor.mjs': 'noEditor.ts' },
  'variables.mjs': { './components/VariableQueryEditor.mjs': 'noEditor.ts' },
  'datasource.mjs': { semver: 'semver.ts' },
  'querybuilder/components/PromQueryEditorSelector.mjs': { './PromQueryBuilderOptions.mjs': 'queryOptions.tsx' },
};

const LIBRARY = 'node_modules/@grafana/prometheus/dist/esm';

/** Replaces imports of Grafana's Prometheus package, and fails the build where the package has no such import. */
export class PrometheusImportsPlugin implements WebpackPluginInstance {
  private readonly replacements: Replacements;
  private readonly library: string;

  /** @param folder Has `node_modules`, which may be a link: webpack names modules by where they really are. */
  constructor(replacements: Replacements = PROMETHEUS_IMPORTS, folder = process.cwd()) {
    this.replacements = replacements;
    this.library = realpathSync(path.resolve(folder, LIBRARY));
  }

  apply(compiler: Compiler) {
    new webpack.NormalModuleReplacementPlugin(/^semver$|(Editor|Options)\.mjs$/, (resource) => {
      const importer = path.relative(this.library, resource.contextInfo.issuer).split(path.sep).join('/');
      const replacement = this.replacements[importer]?.[resource.request];
      if (replacement) {
        resource.request = fileOf(replacement);
      }
    }).apply(compiler);

    compiler.hooks.thisCompilation.tap('PrometheusImportsPlugin', (compilation) => {
      // What is built is looked at, not what is replaced: webpack's cache leaves out the replacing.
      compilation.hooks.finishModules.tap('PrometheusImportsPlugin', () => {
        for (const miss of this.misses(compilation)) {
          compilation.errors.push(
            new compiler.webpack.WebpackError(`${miss}. Look up in @grafana/prometheus what is imported now.`)
          );
        }
      });
    });
  }

  private misses(compilation: Compilation): string[] {
    const modules = new Map([...compilation.modules].map((module) => [resourceOf(module), module]));
    return Object.entries(this.replacements).flatMap(([importer, imports]) => {
      const module = modules.get(path.join(this.library, importer));
      const imported = new Set(
        [...(module ? compilation.moduleGraph.getOutgoingConnections(module) : [])].map((connection) =>
          resourceOf(connection.module)
        )
      );
      return Object.entries(imports)
        .filter(([, replacement]) => !imported.has(fileOf(replacement)))
        .map(([request]) => `${importer} of @grafana/prometheus does not import ${request}, which is to be replaced`);
    });
  }
}

function fileOf(replacement: string): string {
  return path.resolve(process.cwd(), 'src/metrics', replacement);
}

function resourceOf(module: Module | null): string | undefined {
  return module instanceof webpack.NormalModule ? module.resource : undefined;
}
