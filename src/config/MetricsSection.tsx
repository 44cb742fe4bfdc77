import React from 'react';
import { ConfigSection } from '@grafana/plugin-ui';
import type { SectionProps } from './section';
import { SettingFields, type Setting } from './SettingFields';
import { tidyText } from './tidy';
import { prometheusUrlError } from './validation';

const FIELDS: Setting[] = [
  {
    secret: 'monitoringToken',
    label: 'Monitoring token',
    description:
      "Create one with “monitoring tokens create” of the platform's command-line tool. It is shown once, so keep a copy.",
    placeholder: 'Paste the token',
    isToken: true,
    required: true,
    errorWhenLeftEmpty: 'Enter a monitoring token, or metrics cannot be read.',
  },
  {
    option: 'metricsUrl',
    label: 'Full metrics address (optional)',
    description:
      'Only for deployments whose metrics are elsewhere. It is used instead of the base address and the project id.',
    placeholder: 'https://api.example.com/v1/projects/proj-1234/metrics/timeseries',
    check: prometheusUrlError,
    tidy: tidyText,
  },
];

/** How the metrics are read. */
export const MetricsSection = (props: SectionProps) => (
  <ConfigSection title="Metrics">
    <SettingFields {...props} fields={FIELDS} />
  </ConfigSection>
);
