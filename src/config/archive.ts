import type { SettingsSection } from './SettingsSection';
import { tidyToken } from './tidy';
import { prometheusUrlError, retentionError } from './validation';

export const ARCHIVE: SettingsSection = {
  title: 'Archive',
  description:
    'Optional: a Prometheus, Mimir, Thanos or VictoriaMetrics that keeps metrics for longer than the platform.',
  isFolded: ({ jsonData }) => !jsonData.archive?.url,
  fields: [
    {
      option: 'archive.url',
      label: 'Archive address',
      description: 'Queries of older samples go there. It is fed with the samples of this data source.',
      example: 'https://mimir.example.com/prometheus',
      check: prometheusUrlError,
    },
    {
      option: 'archive.retention',
      label: 'Retention of the platform',
      description: 'How long the platform stores samples. The archive has those before.',
      example: '30d',
      check: retentionError,
    },
    {
      labels: 'archive.dropLabels',
      label: 'Labels to drop',
      description: 'Labels that the archive adds to each series, so that its series continue those of the platform.',
      placeholder: 'job, then Enter',
    },
    {
      secret: 'archiveToken',
      label: 'Archive token',
      description: 'Bearer credential of the archive, if it needs one.',
      placeholder: 'Paste the token',
      tidy: tidyToken,
    },
    {
      option: 'archive.user',
      label: 'Archive user',
      description: 'User of basic authentication, instead of a token.',
      example: 'grafana',
    },
    {
      secret: 'archivePassword',
      label: 'Archive password',
      description: 'Password of that user.',
      placeholder: 'Password',
    },
    {
      option: 'archive.headerName',
      label: 'Archive header',
      description: 'Name of a header that is sent to the archive, such as its tenant.',
      example: 'X-Scope-OrgID',
    },
    {
      secret: 'archiveHeader',
      label: 'Value of the archive header',
      description: 'Sent with each request to the archive.',
      placeholder: 'gpu-cloud',
    },
    // The certificates of the section Advanced are for the platform only.
    {
      secret: 'archiveTlsCaCert',
      label: 'CA certificate of the archive',
      description: "Of the authority that signed the archive's certificate, if the machine does not know it.",
      placeholder: '-----BEGIN CERTIFICATE-----',
      isMultiline: true,
    },
  ],
};
