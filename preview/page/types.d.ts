// Grafana's core imports this entry point; the published package has the file, but no public name for it. The build
// resolves it (see preview/build.mjs).
declare module '@grafana/runtime/internal' {
  export { setGetObservablePluginLinks } from '@grafana/runtime/dist/types/services/pluginExtensions/getObservablePluginLinks';
}

// Lent to plugins as they are; the page itself uses nothing of them.
declare module 'prismjs';
declare module 'react-router';

// What Grafana's scripts read of the window.
interface Window {
  grafanaBootData: unknown;
  __grafana_public_path__: string;
}

/** Version of the `@grafana/*` packages, filled in by the build. */
declare const GRAFANA_VERSION: string;
