import React from 'react';
import { ConfigSection, ConfigSubSection } from '@grafana/plugin-ui';
import { Field, Switch, TagsInput } from '@grafana/ui';
import type { ArchiveOptions } from '../types';
import { SecretField } from './SecretField';
import { setOption, withoutEmpty, type SectionProps } from './section';
import { TextField } from './TextField';
import { tidyText } from './tidy';
import { durationError, headerNameError, prometheusUrlError } from './validation';

/** Where samples are that the platform has deleted. */
export function ArchiveSection(props: SectionProps) {
  const { options } = props;
  const archive = options.jsonData.archive ?? {};
  const set = (changes: ArchiveOptions) => setOption(props, 'archive', withoutEmpty({ ...archive, ...changes }));
  const text = (option: TextOption) => ({
    value: String(archive[option] ?? ''),
    tidy: tidyText,
    disabled: options.readOnly,
    onChange: (value: string) => set({ [option]: value }),
  });

  return (
    <ConfigSection
      title="Archive"
      description="Optional: a Prometheus, Mimir, Thanos or VictoriaMetrics that keeps metrics for longer than the platform."
      isCollapsible
      isInitiallyOpen={Boolean(archive.url)}
    >
      <TextField
        {...text('url')}
        id="gpucloud-archive-url"
        label="Archive address"
        description="Queries of older samples go there. It is fed with the samples of this data source."
        placeholder="https://mimir.example.com/prometheus"
        check={prometheusUrlError}
      />
      <TextField
        {...text('retention')}
        id="gpucloud-archive-retention"
        label="Retention of the platform"
        description="How long the platform stores samples. The archive has those before."
        placeholder="30d"
        check={durationError}
      />
      <Field
        label="Labels to drop"
        description="Labels that the archive adds to each series, so that its series continue those of the platform."
        disabled={options.readOnly}
        noMargin={false}
      >
        <TagsInput
          id="gpucloud-archive-drop-labels"
          placeholder="job, then Enter"
          tags={archive.dropLabels ?? []}
          disabled={options.readOnly}
          onChange={(dropLabels) => set({ dropLabels })}
        />
      </Field>
      <SecretField
        {...props}
        id="gpucloud-archive-token"
        secret="archiveToken"
        label="Archive token"
        description="Bearer credential of the archive, if it needs one."
        placeholder="Paste the token itself, without “Bearer”"
      />
      <TextField
        {...text('user')}
        id="gpucloud-archive-user"
        label="Archive user"
        description="User of basic authentication, instead of a token."
        placeholder="grafana"
      />
      <SecretField
        {...props}
        id="gpucloud-archive-password"
        secret="archivePassword"
        label="Archive password"
        description="Password of that user."
        placeholder="Password"
        check={noCheck}
      />
      <TextField
        {...text('headerName')}
        id="gpucloud-archive-header-name"
        label="Archive header"
        description="Name of a header that is sent to the archive, such as its tenant."
        placeholder="X-Scope-OrgID"
        check={headerNameError}
      />
      <SecretField
        {...props}
        id="gpucloud-archive-header"
        secret="archiveHeader"
        label="Value of the archive header"
        description="Sent with each request to the archive."
        placeholder="gpu-cloud"
        check={noCheck}
      />
      <ArchiveTls {...props} archive={archive} set={set} text={text} />
    </ConfigSection>
  );
}

type TextOption = 'url' | 'retention' | 'user' | 'headerName' | 'serverName';

interface TlsProps extends SectionProps {
  archive: ArchiveOptions;
  set: (changes: ArchiveOptions) => void;
  text: (
    option: TextOption
  ) => Pick<React.ComponentProps<typeof TextField>, 'value' | 'tidy' | 'disabled' | 'onChange'>;
}

/** TLS with the archive. The certificates of the section Advanced are for the platform only. */
function ArchiveTls({ archive, set, text, ...props }: TlsProps) {
  return (
    <ConfigSubSection title="TLS of the archive" isCollapsible isInitiallyOpen={false}>
      <SecretField
        {...props}
        id="gpucloud-archive-ca"
        secret="archiveTlsCaCert"
        label="CA certificate of the archive"
        description="Of the authority that signed the archive's certificate, if the machine does not know it."
        placeholder="-----BEGIN CERTIFICATE-----"
        check={noCheck}
        multiline
      />
      <SecretField
        {...props}
        id="gpucloud-archive-client-certificate"
        secret="archiveTlsClientCert"
        label="Client certificate for the archive"
        description="For mutual TLS."
        placeholder="-----BEGIN CERTIFICATE-----"
        check={noCheck}
        multiline
      />
      <SecretField
        {...props}
        id="gpucloud-archive-client-key"
        secret="archiveTlsClientKey"
        label="Client key for the archive"
        description="Key of the client certificate."
        placeholder="-----BEGIN PRIVATE KEY-----"
        check={noCheck}
        multiline
      />
      <TextField
        {...text('serverName')}
        id="gpucloud-archive-server-name"
        label="Server name of the archive"
        description="Name in the archive's certificate, where it is not that of the address."
        placeholder="mimir.example.com"
      />
      <Field
        label="Skip verification of the archive's certificate"
        description="Accepts any certificate: for a test installation at most."
        disabled={props.options.readOnly}
        noMargin={false}
      >
        <Switch
          id="gpucloud-archive-skip-verify"
          value={Boolean(archive.tlsSkipVerify)}
          onChange={(event) => set({ tlsSkipVerify: event.currentTarget.checked || undefined })}
        />
      </Field>
    </ConfigSubSection>
  );
}

const noCheck = () => undefined;
