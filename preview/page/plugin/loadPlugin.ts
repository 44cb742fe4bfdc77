import {
  type DataSourceApi,
  type DataSourceInstanceSettings,
  type DataSourceJsonData,
  type DataSourcePlugin,
  type DataSourcePluginMeta,
  type DataSourceSettings,
} from '@grafana/data';
import { type DataQuery } from '@grafana/schema';
import { backendSrv } from '../grafana/backendSrv';
import { registerDataSource } from '../grafana/runtime';
import { loadAmdModule } from './amd';

/** The preview knows nothing of the plugin's own query and settings: only what every data source has. */
export type Query = DataQuery;
export type DataSource = DataSourceApi<Query, DataSourceJsonData>;
export type Plugin = DataSourcePlugin<DataSource, Query, DataSourceJsonData>;
export type Settings = DataSourceSettings<DataSourceJsonData, Record<string, string>>;

const settingsUrl = '/api/datasources/uid/gpucloud';
const pluginPath = 'public/plugins/gpucloud-platform-datasource';

/** Loads the built plugin as Grafana does: its `plugin.json`, then its `module.js`. */
export async function loadPlugin(): Promise<Plugin> {
  const baseUrl = new URL(`${pluginPath}/`, document.baseURI).toString();
  const [meta, { plugin }] = await Promise.all([
    backendSrv.get<DataSourcePluginMeta>(`/${pluginPath}/plugin.json`),
    loadAmdModule<{ plugin: Plugin }>(`${baseUrl}module.js`),
  ]);
  plugin.meta = { ...meta, module: `${baseUrl}module.js`, baseUrl };
  return plugin;
}

export const fetchSettings = () => backendSrv.get<Settings>(settingsUrl);

/** Saves the settings and returns them as they were stored, without secrets. */
export const saveSettings = async (settings: Settings) =>
  (await backendSrv.put<{ datasource: Settings }>(settingsUrl, settings)).datasource;

/** Makes the data source from its settings, and registers it where the plugin looks data sources up. */
export function createDataSource(plugin: Plugin, { uid, type, name, jsonData }: Settings): DataSource {
  const settings: DataSourceInstanceSettings = {
    ...{ id: 1, uid, type, name, jsonData, meta: plugin.meta, readOnly: false, access: 'proxy' },
    url: `api/datasources/proxy/uid/${uid}`,
  };
  const datasource = new plugin.DataSourceClass(settings);
  datasource.meta = plugin.meta;
  datasource.components = plugin.components;
  registerDataSource(settings, datasource);
  return datasource;
}
