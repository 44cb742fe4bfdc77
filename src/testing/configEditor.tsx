import React, { useState } from 'react';
import { render } from '@testing-library/react';
import type { DataSourceSettings } from '@grafana/data';
import { ConfigEditor } from '../config/ConfigEditor';
import type { GpuCloudOptions, GpuCloudSecrets } from '../types';

export type Settings = DataSourceSettings<GpuCloudOptions, GpuCloudSecrets>;

const NEW = { uid: 'gpucloud', url: '', readOnly: false, jsonData: {}, secureJsonFields: {} } as Settings;

/** Shows the form as Grafana does, which keeps the settings, and returns a look at what would be saved. */
export function renderEditor(initial?: Partial<Settings>): () => Settings {
  let current = { ...NEW, ...initial };
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
