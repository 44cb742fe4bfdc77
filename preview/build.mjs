// Builds the preview page into preview/dist: the page itself, the code editor's worker, and the icons and fonts that
// Grafana's components request from their server. `node preview/build.mjs react19` builds it into preview/react19/dist with
// the packages of preview/react19, which the preview then lends to the same built plugin.
import { build } from 'esbuild';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const page = join(import.meta.dirname, 'page');
/** The folder whose packages the page is built of. */
const home = process.argv[2] ? join(import.meta.dirname, process.argv[2]) : root;
const out = join(home === root ? import.meta.dirname : home, 'dist');
const packages = join(home, 'node_modules');
const require = createRequire(join(home, 'package.json'));
const { version } = require('@grafana/data/package.json');

/** Fonts, under the names that Grafana's global styles use. */
const fonts = {
  'inter-ui/web/Inter-Regular.woff2': 'inter/Inter-Regular.woff2',
  'inter-ui/web/Inter-Medium.woff2': 'inter/Inter-Medium.woff2',
  'inter-ui/web/Inter-Italic.woff2': 'inter/Inter-Italic.woff2',
  'inter-ui/web/Inter-MediumItalic.woff2': 'inter/Inter-MediumItalic.woff2',
  '@fontsource/roboto-mono/files/roboto-mono-latin-400-normal.woff2':
    'roboto/L0xTDF4xlVMF-BfR8bXMIhJHg45mwgGEFl0_3vrtSM1J-gEPT5Ese6hmHSh0mQ.woff2',
};

const shared = {
  absWorkingDir: root,
  bundle: true,
  outdir: join(out, 'app'),
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  logLevel: 'error',
  define: { 'process.env.NODE_ENV': '"production"', GRAFANA_VERSION: JSON.stringify(version) },
  loader: { '.ttf': 'file', '.svg': 'dataurl' },
};

/** Resolves what the page imports in {@link home}; the packages there find each other by themselves. */
const fromHome = {
  name: 'from-home',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind, pluginData }) =>
      pluginData === home || importer.includes('node_modules')
        ? undefined
        : resolve(path, { kind, resolveDir: home, pluginData: home })
    );
  },
};

/** The icons that are in Grafana's package and, for those that are not, the set that Grafana takes them from. */
async function copyIcons() {
  const target = join(out, 'public/build/img');
  const unicons = join(target, 'icons/unicons');
  await mkdir(unicons, { recursive: true });
  const { icons } = createRequire(import.meta.url)('@iconify-json/uil/icons.json');
  await Promise.all(
    Object.entries(icons).map(([name, { body }]) =>
      writeFile(
        join(unicons, `${name}.svg`),
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${body}</svg>`
      )
    )
  );
  await cp(join(packages, '@grafana/ui/dist/public/img'), target, { recursive: true });
}

/** The page and the code editor's worker, split into chunks that load when they are needed. Returns the style sheets that they import. */
async function buildPage() {
  const { metafile } = await build({
    ...shared,
    entryPoints: {
      main: join(page, 'main.ts'),
      'editor.worker': join(packages, 'monaco-editor/esm/vs/editor/editor.worker.js'),
    },
    format: 'esm',
    splitting: true,
    metafile: true,
    sourcemap: true,
    tsconfig: join(root, 'preview', 'tsconfig.json'),
    plugins: [fromHome],
    alias: {
      '@grafana/runtime/internal': join(
        packages,
        '@grafana/runtime/dist/esm/services/pluginExtensions/getObservablePluginLinks.mjs'
      ),
    },
  });
  const inputs = Object.keys(metafile.inputs);
  const own = `${relative(root, packages)}/`.replaceAll('\\', '/');
  const strays = inputs.filter((input) => input.includes('node_modules/') && !input.startsWith(own));
  if (strays.length > 0) {
    throw new Error(`Of other packages than those of ${own}: ${strays.join(', ')}`);
  }
  return inputs.filter((input) => input.endsWith('.css'));
}

/** One style sheet for the whole page: a chunk that is loaded later does not bring its own along. */
async function buildStyles(sheets) {
  await build({
    ...shared,
    stdin: { contents: sheets.map((sheet) => `@import "./${sheet}";`).join('\n'), resolveDir: root, loader: 'css' },
    outfile: join(out, 'app/styles.css'),
    outdir: undefined,
  });
}

async function copyFonts() {
  for (const [from, to] of Object.entries(fonts)) {
    const target = join(out, 'public/fonts', to);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(root, 'node_modules', from), target);
  }
}

await rm(out, { recursive: true, force: true });
await Promise.all([
  buildPage().then(buildStyles),
  cp(join(page, 'index.html'), join(out, 'index.html')),
  copyIcons(),
  copyFonts(),
]);
