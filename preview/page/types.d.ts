// Grafana's core imports this entry point; the published package has the file, but no public name for it. The build
// resolves it (see preview/build.mjs).
declare module '@grafana/runtime/internal' {
  export { setGetObservablePluginLinks } from '@grafana/runtime/dist/types/services/pluginExtensions/getObservablePluginLinks';
}

// Lent to plugins as they are; the page itself uses nothing of them.
declare module 'prismjs';
declare module 'react-router';
