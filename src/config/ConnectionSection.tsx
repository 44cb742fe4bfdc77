import React from 'react';
import { ConfigSection } from '@grafana/plugin-ui';
import { setOption, type SectionProps } from './section';
import { TextField } from './TextField';
import { tidyBaseAddress, tidyText } from './tidy';
import { baseUrlError, projectIdError } from './validation';

/** Where the platform is, and which project to read. */
export function ConnectionSection(props: SectionProps) {
  const { baseUrl = '', projectId = '', metricsUrl = '' } = props.options.jsonData;
  const required = metricsUrl === '';

  return (
    <ConfigSection
      title="Connection"
      description="Metrics, fine-tuning and the main API have credentials of their own. Each works without the others."
    >
      <TextField
        id="gpucloud-base-url"
        label="Base address"
        description="Address of the platform's API. A /v1 at its end is taken off, because it is added to every request."
        placeholder="https://api.example.com"
        value={baseUrl}
        required={required}
        error={baseUrlError(baseUrl)}
        tidy={tidyBaseAddress}
        errorWhenLeftEmpty="Enter the platform's address, such as https://api.example.com."
        disabled={props.options.readOnly}
        onChange={(value) => setOption(props, 'baseUrl', value)}
      />
      <TextField
        id="gpucloud-project-id"
        label="Project id"
        description="The project whose metrics you want to see. It is part of the project's address in the web console."
        placeholder="proj-1234"
        value={String(projectId)}
        required={required}
        error={projectId === '' ? undefined : projectIdError(String(projectId))}
        errorWhenLeftEmpty={projectIdError('')}
        tidy={tidyText}
        disabled={props.options.readOnly}
        onChange={(value) => setOption(props, 'projectId', value)}
      />
    </ConfigSection>
  );
}
