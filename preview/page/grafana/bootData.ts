/**
 * What Grafana's server puts into its page before any script runs: who the user is, which theme they chose and how
 * the instance is set up. `@grafana/runtime` reads it once, while it loads.
 */

/** The theme of the address (`?theme=light`), else the one that the machine prefers. */
const machine = window.matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
const theme = new URLSearchParams(window.location.search).get('theme') ?? machine;

window.__grafana_public_path__ = 'public/';
window.grafanaBootData = {
  user: {
    isSignedIn: true,
    orgRole: 'Admin',
    language: 'en-US',
    timezone: 'browser',
    permissions: { 'datasources:explore': true, 'datasources:query': true, 'datasources:write': true },
    theme,
  },
  settings: {
    appUrl: `${window.location.origin}/`,
    buildInfo: { version: GRAFANA_VERSION, commit: '', env: 'production', edition: 'Open Source' },
    featureToggles: {},
    unifiedAlertingEnabled: true,
  },
};
