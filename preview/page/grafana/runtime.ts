import { of } from 'rxjs';
import { type DataSourceApi, type DataSourceInstanceSettings, EventBusSrv } from '@grafana/data';
import { initPluginTranslations } from '@grafana/i18n';
import {
  config,
  type DataSourceSrv,
  setAppEvents,
  setBackendSrv,
  setDataSourceSrv,
  setEchoSrv,
  setPluginComponentsHook,
  setPluginLinksHook,
  setTemplateSrv,
} from '@grafana/runtime';
import { setGetObservablePluginLinks } from '@grafana/runtime/internal';
import { VariablesTemplateSrv } from '../../../src/testing/templateSrv';
import { backendSrv } from './backendSrv';

export const templateSrv = new VariablesTemplateSrv();

/** Usage statistics go nowhere. Interactions are new in Grafana 13.2. */
const echo = { flush() {}, addBackend() {}, addEvent() {}, onInteraction: () => () => {} };

/** Sets up what Grafana sets up before it loads a plugin. To be called once, before anything is rendered. */
export async function startRuntime(): Promise<void> {
  setAppEvents(new EventBusSrv());
  setBackendSrv(backendSrv);
  setTemplateSrv(templateSrv);
  setEchoSrv(echo);
  // No other plugin is here to extend this one.
  setPluginLinksHook(() => ({ links: [], isLoading: false }));
  setPluginComponentsHook(() => ({ components: [], isLoading: false }));
  setGetObservablePluginLinks(() => of([]));
  // The code editor's worker is built into the preview, as Grafana builds it into itself.
  window.MonacoEnvironment = {
    getWorker: () => new Worker(new URL('app/editor.worker.js', document.baseURI), { type: 'module' }),
  };
  // English needs no files: every text of Grafana's packages is its own default.
  await initPluginTranslations('grafana');
}

/** Makes Grafana's registry of data sources one with the one data source of the preview in it. */
export function registerDataSource(settings: DataSourceInstanceSettings, datasource: DataSourceApi) {
  config.datasources = { [settings.name]: settings };
  config.defaultDatasource = settings.name;
  setDataSourceSrv({
    get: async () => datasource,
    getInstanceSettings: () => settings,
    getList: () => [settings],
  } as unknown as DataSourceSrv);
}
