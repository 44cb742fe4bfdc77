import React from 'react';
import { ConfigSection } from '@grafana/plugin-ui';
import type { GpuCloudOptions, GpuCloudSecrets } from '../types';
import type { SectionProps } from './section';
import { SettingFields, type Setting } from './SettingFields';

interface Props extends SectionProps {
  title: string;
  description: string;
  fields: Setting[];
  /** What says that the service is used, whose other fields are needed then. */
  address: keyof GpuCloudOptions;
  credential: keyof GpuCloudSecrets;
}

/** The settings of a service that the rest of the data source works without. */
export function OptionalSection({ title, description, address, credential, ...props }: Props) {
  const { jsonData, secureJsonFields, secureJsonData } = props.options;
  const isUsed = Boolean(jsonData[address] || secureJsonFields?.[credential] || secureJsonData?.[credential]);
  return (
    <ConfigSection title={title} description={isUsed ? description : `${description} Not configured.`}>
      <SettingFields {...props} isUsed={isUsed} />
    </ConfigSection>
  );
}
