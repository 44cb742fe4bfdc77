import { type DataSourceApi, type DataSourceInstanceSettings, type DataSourceRef } from '@grafana/data';
import { type DataSourceSrv, type GetDataSourceListFilters } from '@grafana/runtime';

/** Grafana's registry of data sources, with the one data source of the preview in it. */
export class SingleDataSourceSrv implements DataSourceSrv {
  private settings?: DataSourceInstanceSettings;
  private instance?: DataSourceApi;

  register(settings: DataSourceInstanceSettings, instance: DataSourceApi) {
    this.settings = settings;
    this.instance = instance;
  }

  async get(ref?: DataSourceRef | string | null): Promise<DataSourceApi> {
    if (!this.instance || !this.getInstanceSettings(ref)) {
      throw new Error(`Data source ${nameOf(ref)} was not found`);
    }
    return this.instance;
  }

  getInstanceSettings(ref?: DataSourceRef | string | null): DataSourceInstanceSettings | undefined {
    const name = nameOf(ref);
    const { settings } = this;
    return !name || name === settings?.uid || name === settings?.name || name === 'default' ? settings : undefined;
  }

  getList({ pluginId, type, filter }: GetDataSourceListFilters = {}): DataSourceInstanceSettings[] {
    const { settings } = this;
    const types = [pluginId ?? type ?? []].flat();
    const matches = settings && (types.length === 0 || types.includes(settings.type)) && (filter?.(settings) ?? true);
    return matches ? [settings] : [];
  }

  async reload() {}

  registerRuntimeDataSource() {
    throw new Error('The preview has one data source only.');
  }
}

function nameOf(ref?: DataSourceRef | string | null): string | undefined {
  return typeof ref === 'string' ? ref : ref?.uid;
}
