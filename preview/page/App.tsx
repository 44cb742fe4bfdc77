import React, { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useHash } from 'react-use';
import { ThemeContext } from '@grafana/data';
import { config, locationService, LocationServiceProvider } from '@grafana/runtime';
import { Alert, Box, GlobalStyles, ModalRoot, ModalsProvider, PortalContainer, Tab, TabsBar } from '@grafana/ui';
import { startRuntime } from './grafana/runtime';
import { createDataSource, fetchSettings, loadPlugin, type Plugin, type Settings } from './plugin/loadPlugin';
import { AnnotationView, initialAnnotation } from './views/AnnotationView';
import { ConfigView } from './views/ConfigView';
import { QueryView } from './views/QueryView';
import { VariableView } from './views/VariableView';

const TABS = { panel: 'Panel', query: 'Query', annotation: 'Annotation', variable: 'Variable', config: 'Settings' };

/** Sets up what Grafana would, loads the plugin, and renders the preview. */
export async function start() {
  const root = createRoot(document.getElementById('root')!);
  try {
    await startRuntime();
    const [plugin, settings] = await Promise.all([loadPlugin(), fetchSettings()]);
    root.render(<App plugin={plugin} initial={settings} />);
  } catch (error) {
    root.render(<p>The plugin could not be loaded: {String((error as { data?: unknown }).data ?? error)}</p>);
  }
}

/** The preview's one page, in what Grafana wraps around every page of its own. */
function App({ plugin, initial }: { plugin: Plugin; initial: Settings }) {
  const [{ settings, datasource }, setSaved] = useState({
    settings: initial,
    datasource: createDataSource(plugin, initial),
  });
  const [hash] = useHash();
  // `#/query?…` has a query in JSON, as the address of Explore has.
  const [view, linked] = (hash.slice(2) || 'panel').split('?');
  return (
    <ThemeContext.Provider value={config.theme2}>
      <GlobalStyles />
      <LocationServiceProvider service={locationService}>
        <ModalsProvider>
          <Box padding={2}>
            <Alert severity="info" title="This preview stands in for Grafana">
              The editors and the backend are the plugin&rsquo;s own; the page around them is not Grafana.
            </Alert>
            <TabsBar>
              {Object.entries(TABS).map(([route, label]) => (
                <Tab key={route} label={label} href={`#/${route}`} active={route === view} />
              ))}
            </TabsBar>
            {view === 'panel' && <QueryView key="panel" datasource={datasource} annotation={initialAnnotation} />}
            {view === 'query' && (
              <QueryView
                key={hash}
                datasource={datasource}
                editors={plugin.components}
                linked={linked && JSON.parse(decodeURIComponent(linked))}
              />
            )}
            {view === 'annotation' && <AnnotationView datasource={datasource} />}
            {view === 'variable' && <VariableView datasource={datasource} />}
            {view === 'config' && (
              <ConfigView
                plugin={plugin}
                saved={settings}
                onSaved={(next) => {
                  const saved = { settings: next, datasource: createDataSource(plugin, next) };
                  setSaved(saved);
                  return saved.datasource;
                }}
              />
            )}
          </Box>
          <ModalRoot />
        </ModalsProvider>
        <PortalContainer />
      </LocationServiceProvider>
    </ThemeContext.Provider>
  );
}
