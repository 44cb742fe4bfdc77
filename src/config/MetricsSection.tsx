import React from 'react';
import { ConfigSection } from '@grafana/plugin-ui';
import { SecretField } from './SecretField';
import type { SectionProps } from './section';
import { OptionField } from './OptionField';
import { tidyText } from './tidy';
import { prometheusUrlError } from './validation';

/** How the metrics are read. */
export function MetricsSection(props: SectionProps) {
  return (
    <ConfigSection title="Metrics">
      <SecretField
        {...props}
        id="gpucloud-monitoring-token"
        secret="monitoringToken"
        label="Monitoring token"
        description="Create one with “monitoring tokens create” of the platform's command-line tool. It is shown once, so keep a copy."
        placeholder="Paste the token itself, without “Bearer”"
        required
        errorWhenLeftEmpty="Enter a monitoring token, or metrics cannot be read."
      />
      <OptionField
        {...props}
        option="metricsUrl"
        id="gpucloud-metrics-url"
        label="Full metrics address (optional)"
        description="Only for deployments whose metrics are elsewhere. It is used instead of the base address and the project id."
        placeholder="https://api.example.com/v1/projects/proj-1234/metrics/timeseries"
        check={prometheusUrlError}
        tidy={tidyText}
      />
    </ConfigSection>
  );
}
