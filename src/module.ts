import { DataSourcePlugin } from '@grafana/data';
import { initPluginTranslations } from '@grafana/i18n';
import { loadResources } from '@grafana/prometheus';
import { DataSource } from './datasource';
import type { GpuCloud } from './GpuCloud';
import { lazyEditor } from './lazyEditor';
import pluginJson from './plugin.json';
import type { GpuCloudOptions, GpuCloudQuery, GpuCloudSecrets } from './types';

// Not awaited: Grafana loads this file as an AMD module, and those cannot wait. English is there at once.
void initPluginTranslations(pluginJson.id, [loadResources]);

export const plugin = new DataSourcePlugin<GpuCloud, GpuCloudQuery, GpuCloudOptions, GpuCloudSecrets>(DataSource)
  .setConfigEditor(lazyEditor(async () => (await import('./config/ConfigEditor')).ConfigEditor))
  .setQueryEditor(lazyEditor(async () => (await import('./query/QueryEditor')).QueryEditor))
  .setQueryEditorHelp(lazyEditor(async () => (await import('./query/help/QueryHelp')).QueryHelp));
