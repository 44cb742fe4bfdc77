import { of } from 'rxjs';
import { EventBusSrv } from '@grafana/data';
import { initPluginTranslations } from '@grafana/i18n';
import {
  setAppEvents,
  setBackendSrv,
  setDataSourceSrv,
  setEchoSrv,
  setPluginComponentsHook,
  setPluginLinksHook,
  setTemplateSrv,
} from '@grafana/runtime';
import { setGetObservablePluginLinks } from '@grafana/runtime/internal';
import { FetchBackendSrv } from './backendSrv';
import { SingleDataSourceSrv } from './dataSourceSrv';
import { VariablesTemplateSrv } from '../../../src/testing/templateSrv';
import { configureMonaco } from './monaco';

const appEvents = new EventBusSrv();
export const backendSrv = new FetchBackendSrv();
export const dataSourceSrv = new SingleDataSourceSrv();
export const templateSrv = new VariablesTemplateSrv();

/** Usage statistics go nowhere. Interactions are new in Grafana 13.2. */
const echo = { flush() {}, addBackend() {}, addEvent() {}, onInteraction: () => () => {} };

/** Sets up what Grafana sets up before it loads a plugin. To be called once, before anything is rendered. */
export async function startRuntime(): Promise<void> {
  setAppEvents(appEvents);
  setBackendSrv(backendSrv);
  setDataSourceSrv(dataSourceSrv);
  setTemplateSrv(templateSrv);
  setEchoSrv(echo);
  // No other plugin is here to extend this one.
  setPluginLinksHook(() => ({ links: [], isLoading: false }));
  setPluginComponentsHook(() => ({ components: [], isLoading: false }));
  setGetObservablePluginLinks(() => of([]));
  configureMonaco();
  // English needs no files: every text of Grafana's packages is its own default.
  await initPluginTranslations('grafana');
}
