import { isEmpty, isObject, omitBy } from 'lodash';
import type { DataSourcePluginOptionsEditorProps } from '@grafana/data';
import type { GpuCloudOptions, GpuCloudSecrets } from '../types';

/** What every section of the config editor gets: the settings as they stand on screen, and where changes go. */
export type SectionProps = DataSourcePluginOptionsEditorProps<GpuCloudOptions, GpuCloudSecrets>;

/** Saves one open setting. */
export function setOption<Key extends keyof GpuCloudOptions>(
  { options, onOptionsChange }: SectionProps,
  key: Key,
  value: GpuCloudOptions[Key]
) {
  onOptionsChange({ ...options, jsonData: { ...options.jsonData, [key]: value } });
}

/** A group of settings without those that are empty; nothing if all are. */
export function withoutEmpty<Options extends object>(options: Options): Partial<Options> | undefined {
  const isBlank = (value: unknown) => value === undefined || value === '' || (isObject(value) && isEmpty(value));
  const filled = omitBy(options, isBlank) as Partial<Options>;
  return isEmpty(filled) ? undefined : filled;
}
