import React from 'react';
import { ConfigSection } from '@grafana/plugin-ui';
import type { SectionProps } from './section';
import { OptionField } from './OptionField';
import { tidyBaseAddress, tidyText } from './tidy';
import { addressError, projectIdError } from './validation';

/** Where the platform is, and which project to read. */
export function ConnectionSection(props: SectionProps) {
  const { metricsUrl = '' } = props.options.jsonData;
  const required = metricsUrl === '';

  return (
    <ConfigSection
      title="Connection"
      description="Metrics, fine-tuning and the main API have credentials of their own. Each works without the others."
    >
      <OptionField
        {...props}
        option="baseUrl"
        id="gpucloud-base-url"
        label="Base address"
        description="Address of the platform's API. A /v1 at its end is taken off, because it is added to every request."
        placeholder="https://api.example.com"
        required={required}
        check={addressError}
        tidy={tidyBaseAddress}
        errorWhenLeftEmpty="Enter the platform's address, such as https://api.example.com."
      />
      <OptionField
        {...props}
        option="projectId"
        id="gpucloud-project-id"
        label="Project id"
        description="The project whose metrics you want to see. It is part of the project's address in the web console."
        placeholder="proj-1234"
        required={required}
        check={projectIdError}
        errorWhenLeftEmpty={projectIdError('')}
        tidy={tidyText}
      />
    </ConfigSection>
  );
}
