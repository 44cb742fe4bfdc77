import { get, isEmpty, isObject, omitBy } from 'lodash';
import type { DataSourcePluginOptionsEditorProps } from '@grafana/data';
import type { ArchiveOptions, CacheOptions, GpuCloudOptions, GpuCloudSecrets, PriceOptions } from '../types';

/** What every section of the config editor gets: the settings as they stand on screen, and where changes go. */
export type SectionProps = DataSourcePluginOptionsEditorProps<GpuCloudOptions, GpuCloudSecrets>;

/** The name of an open setting, of some behind that of their group. */
export type SettingName =
  | keyof GpuCloudOptions
  | `archive.${keyof ArchiveOptions}`
  | `cache.${keyof CacheOptions}`
  | `prices.${keyof PriceOptions}`;

export const settingOf = ({ options }: SectionProps, name: SettingName): unknown => get(options.jsonData, name);

/** Saves one open setting. A group that has none is not saved. */
export function setOption({ options, onOptionsChange }: SectionProps, name: SettingName, value: unknown) {
  const [key, member] = name.split('.');
  const group: object | undefined = get(options.jsonData, key);
  const saved = member ? withoutEmpty({ ...group, [member]: value }) : value;
  onOptionsChange({ ...options, jsonData: { ...options.jsonData, [key]: saved } });
}

/** A group of settings without those that are empty; nothing if all are. */
function withoutEmpty(settings: object): object | undefined {
  const filled = omitBy(
    settings,
    (value) => value === undefined || value === '' || (isObject(value) && isEmpty(value))
  );
  return isEmpty(filled) ? undefined : filled;
}
