import React, { useState } from 'react';
import { render } from '@testing-library/react';
import type { DataSourceSettings } from '@grafana/data';
import { ConfigEditor } from '../config/ConfigEditor';
import type { GpuCloudOptions, GpuCloudSecrets } from '../types';

export type Settings = DataSourceSettings<GpuCloudOptions, GpuCloudSecrets>;

const settings = (changes: Partial<Settings> = {}): Settings => ({
  id: 1,
  uid: 'gpucloud',
  orgId: 1,
  name: 'GPU Cloud',
  type: 'gpucloud-platform-datasource',
  typeName: 'GPU Cloud',
  typeLogoUrl: '',
  access: 'proxy',
  url: '',
  user: '',
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Grafana still passes it
  database: '',
  basicAuth: false,
  basicAuthUser: '',
  isDefault: false,
  readOnly: false,
  withCredentials: false,
  jsonData: {},
  secureJsonFields: {},
  ...changes,
});

/** Shows the form as Grafana does, which keeps the settings, and returns a look at what would be saved. */
export function renderEditor(initial?: Partial<Settings>): () => Settings {
  let current = settings(initial);
  function Page() {
    const [options, setOptions] = useState(current);
    const onOptionsChange = (changed: Settings) => {
      current = changed;
      setOptions(changed);
    };
    return <ConfigEditor options={options} onOptionsChange={onOptionsChange} />;
  }
  render(<Page />);
  return () => current;
}
