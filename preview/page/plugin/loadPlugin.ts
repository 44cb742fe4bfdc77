import {
  type DataSourceApi,
  type DataSourceInstanceSettings,
  type DataSourceJsonData,
  type DataSourcePlugin,
  type DataSourcePluginMeta,
  type DataSourceSettings,
  PluginType,
} from '@grafana/data';
import { type DataQuery } from '@grafana/schema';
import { config } from '@grafana/runtime';
import { backendSrv, dataSourceSrv } from '../grafana/runtime';
import { loadAmdModule } from './amd';

/** The preview knows nothing of the plugin's own query and settings: only what every data source has. */
export type Query = DataQuery;
export type DataSource = DataSourceApi<Query, DataSourceJsonData>;
export type Plugin = DataSourcePlugin<DataSource, Query, DataSourceJsonData>;
export type Settings = DataSourceSettings<DataSourceJsonData, Record<string, string>>;

export interface LoadedPlugin {
  plugin: Plugin;
  meta: DataSourcePluginMeta;
}

const PLUGIN_ID = 'gpucloud-platform-datasource';
const DATA_SOURCE_UID = 'gpucloud';

const settingsUrl = `/api/datasources/uid/${DATA_SOURCE_UID}`;
const pluginPath = `public/plugins/${PLUGIN_ID}`;

/** The plugin with a data source of it, as it is set up. */
export interface Ready {
  loaded: LoadedPlugin;
  settings: Settings;
  datasource: DataSource;
}

/** Loads the built plugin as Grafana does: its `plugin.json`, then its `module.js`. */
export async function loadPlugin(): Promise<LoadedPlugin> {
  const base = new URL(`${pluginPath}/`, document.baseURI).toString();
  const [meta, module] = await Promise.all([
    backendSrv.get<DataSourcePluginMeta>(`/${pluginPath}/plugin.json`),
    loadAmdModule<{ plugin: Plugin }>(`${base}module.js`),
  ]);
  const logos = { small: `${pluginPath}/${meta.info.logos.small}`, large: `${pluginPath}/${meta.info.logos.large}` };
  const complete = { ...meta, type: PluginType.datasource, module: `${base}module.js`, baseUrl: base };
  complete.info = { ...meta.info, logos };
  module.plugin.meta = complete;
  return { plugin: module.plugin, meta: complete };
}

export function fetchSettings(): Promise<Settings> {
  return backendSrv.get<Settings>(settingsUrl);
}

/** Saves the settings and returns them as they were stored, without secrets. */
export async function saveSettings(settings: Settings): Promise<Settings> {
  const { datasource } = await backendSrv.put<{ datasource: Settings }>(settingsUrl, settings);
  return datasource;
}

/** Makes the data source from its settings, and registers it where the plugin looks data sources up. */
export function createDataSource({ plugin, meta }: LoadedPlugin, settings: Settings): DataSource {
  const instanceSettings = {
    id: settings.id,
    uid: settings.uid,
    type: settings.type,
    name: settings.name,
    meta,
    readOnly: settings.readOnly,
    url: `api/datasources/proxy/uid/${settings.uid}`,
    access: 'proxy',
    jsonData: settings.jsonData,
    isDefault: settings.isDefault,
  } satisfies DataSourceInstanceSettings;
  const instance = new plugin.DataSourceClass(instanceSettings);
  instance.meta = meta;
  instance.components = plugin.components;
  config.datasources = { [settings.name]: instanceSettings };
  config.defaultDatasource = settings.name;
  dataSourceSrv.register(instanceSettings, instance);
  return instance;
}
