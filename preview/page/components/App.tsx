import React, { useEffect, useState } from 'react';
import { ThemeContext } from '@grafana/data';
import { config, locationService, LocationServiceProvider } from '@grafana/runtime';
import { Alert, GlobalStyles, LoadingPlaceholder, ModalRoot, ModalsProvider, PortalContainer } from '@grafana/ui';
import { createDataSource, fetchSettings, loadPlugin, type Ready } from '../plugin/loadPlugin';
import { Page } from './Page';

type State = { kind: 'loading' } | { kind: 'failed'; reason: string } | ({ kind: 'ready' } & Ready);

/** The whole page: what Grafana wraps around every page of its own, and the preview inside. */
export function App() {
  const [state, setState] = useState<State>({ kind: 'loading' });
  useEffect(() => {
    start().then(
      (ready) => setState({ kind: 'ready', ...ready }),
      (error) => setState({ kind: 'failed', reason: error.message ?? error.statusText })
    );
  }, []);

  return (
    <ThemeContext.Provider value={config.theme2}>
      <GlobalStyles />
      <LocationServiceProvider service={locationService}>
        <ModalsProvider>
          {state.kind === 'loading' && <LoadingPlaceholder text="Loading the plugin…" />}
          {state.kind === 'failed' && <Alert title="The plugin could not be loaded">{state.reason}</Alert>}
          {state.kind === 'ready' && (
            <Page {...state} onSaved={(settings, datasource) => setState({ ...state, settings, datasource })} />
          )}
          <ModalRoot />
        </ModalsProvider>
        <PortalContainer />
      </LocationServiceProvider>
    </ThemeContext.Provider>
  );
}

async function start(): Promise<Ready> {
  const [loaded, settings] = await Promise.all([loadPlugin(), fetchSettings()]);
  return { loaded, settings, datasource: createDataSource(loaded, settings) };
}
