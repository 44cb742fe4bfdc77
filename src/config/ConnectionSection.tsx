import React from 'react';
import { ConfigSection } from '@grafana/plugin-ui';
import type { SectionProps } from './section';
import { SettingFields, type Setting } from './SettingFields';
import { tidyBaseAddress, tidyText } from './tidy';
import { addressError, projectIdError } from './validation';

const FIELDS: Setting[] = [
  {
    option: 'baseUrl',
    label: 'Base address',
    description: "Address of the platform's API. A /v1 at its end is taken off, because it is added to every request.",
    placeholder: 'https://api.example.com',
    required: true,
    check: addressError,
    tidy: tidyBaseAddress,
    errorWhenLeftEmpty: "Enter the platform's address, such as https://api.example.com.",
  },
  {
    option: 'projectId',
    label: 'Project id',
    description: "The project whose metrics you want to see. It is part of the project's address in the web console.",
    placeholder: 'proj-1234',
    required: true,
    check: projectIdError,
    errorWhenLeftEmpty: projectIdError(''),
    tidy: tidyText,
  },
];

/** Where the platform is, and which project to read. */
export const ConnectionSection = (props: SectionProps) => (
  <ConfigSection
    title="Connection"
    description="Metrics, fine-tuning and the main API have credentials of their own. Each works without the others."
  >
    <SettingFields {...props} fields={FIELDS} isUsed={!props.options.jsonData.metricsUrl} />
  </ConfigSection>
);
