import React from 'react';
import { ConfigSection, ConfigSubSection } from '@grafana/plugin-ui';
import { Field, TagsInput } from '@grafana/ui';
import { setOption, type SectionProps } from './section';
import { SettingFields, type Setting } from './SettingFields';
import { tidyText } from './tidy';
import { headerNameError, prometheusUrlError, retentionError } from './validation';

const SAMPLES: Setting[] = [
  {
    option: 'archive.url',
    label: 'Archive address',
    description: 'Queries of older samples go there. It is fed with the samples of this data source.',
    placeholder: 'https://mimir.example.com/prometheus',
    check: prometheusUrlError,
    tidy: tidyText,
  },
  {
    option: 'archive.retention',
    label: 'Retention of the platform',
    description: 'How long the platform stores samples. The archive has those before.',
    placeholder: '30d',
    check: retentionError,
    tidy: tidyText,
  },
];

const CREDENTIALS: Setting[] = [
  {
    secret: 'archiveToken',
    label: 'Archive token',
    description: 'Bearer credential of the archive, if it needs one.',
    placeholder: 'Paste the token',
    isToken: true,
  },
  {
    option: 'archive.user',
    label: 'Archive user',
    description: 'User of basic authentication, instead of a token.',
    placeholder: 'grafana',
    tidy: tidyText,
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
    placeholder: 'X-Scope-OrgID',
    check: headerNameError,
    tidy: tidyText,
  },
  {
    secret: 'archiveHeader',
    label: 'Value of the archive header',
    description: 'Sent with each request to the archive.',
    placeholder: 'gpu-cloud',
  },
];

/** TLS with the archive. The certificates of the section Advanced are for the platform only. */
const TLS: Setting[] = [
  {
    secret: 'archiveTlsCaCert',
    label: 'CA certificate of the archive',
    description: "Of the authority that signed the archive's certificate, if the machine does not know it.",
    placeholder: '-----BEGIN CERTIFICATE-----',
    multiline: true,
  },
  {
    secret: 'archiveTlsClientCert',
    label: 'Client certificate for the archive',
    description: 'For mutual TLS.',
    placeholder: '-----BEGIN CERTIFICATE-----',
    multiline: true,
  },
  {
    secret: 'archiveTlsClientKey',
    label: 'Client key for the archive',
    description: 'Key of the client certificate.',
    placeholder: '-----BEGIN PRIVATE KEY-----',
    multiline: true,
  },
  {
    option: 'archive.serverName',
    label: 'Server name of the archive',
    description: "Name in the archive's certificate, where it is not that of the address.",
    placeholder: 'mimir.example.com',
    tidy: tidyText,
  },
  {
    flag: 'archive.tlsSkipVerify',
    label: "Skip verification of the archive's certificate",
    description: 'Accepts any certificate: for a test installation at most.',
  },
];

/** Where samples are that the platform has deleted. */
export function ArchiveSection(props: SectionProps) {
  const { jsonData, readOnly } = props.options;
  return (
    <ConfigSection
      title="Archive"
      description="Optional: a Prometheus, Mimir, Thanos or VictoriaMetrics that keeps metrics for longer than the platform."
      isCollapsible
      isInitiallyOpen={Boolean(jsonData.archive?.url)}
    >
      <SettingFields {...props} fields={SAMPLES} />
      <Field
        label="Labels to drop"
        description="Labels that the archive adds to each series, so that its series continue those of the platform."
        disabled={readOnly}
        noMargin={false}
      >
        <TagsInput
          id="gpucloud-archive-drop-labels"
          placeholder="job, then Enter"
          tags={jsonData.archive?.dropLabels ?? []}
          disabled={readOnly}
          onChange={(labels) => setOption(props, 'archive.dropLabels', labels)}
        />
      </Field>
      <SettingFields {...props} fields={CREDENTIALS} />
      <ConfigSubSection title="TLS of the archive" isCollapsible isInitiallyOpen={false}>
        <SettingFields {...props} fields={TLS} />
      </ConfigSubSection>
    </ConfigSection>
  );
}
