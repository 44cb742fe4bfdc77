import React from 'react';
import { PromSettings } from '@grafana/prometheus';
import { Auth, AuthMethod, ConfigSection, ConfigSubSection, convertLegacyAuthProps } from '@grafana/plugin-ui';
import { config } from '@grafana/runtime';
import { SecureSocksProxySettings, Stack, Text } from '@grafana/ui';
import { DEFAULT_HTTP_METHOD, DEFAULT_SCRAPE_INTERVAL } from '../metrics/defaults';
import { CacheSettings } from './CacheSettings';
import { setOption, type SectionProps } from './section';
import { TextField } from './TextField';
import { megabytesProblem, timeoutProblem } from './validation';

const SHOWN_DEFAULTS = { httpMethod: DEFAULT_HTTP_METHOD, timeInterval: DEFAULT_SCRAPE_INTERVAL };

/** What the backend allows if nothing is set. */
const DEFAULT_MAX_RESPONSE_MEGABYTES = 256;

const AUTHENTICATION = {
  [AuthMethod.NoAuth]: {
    label: 'Credentials',
    description: 'Set in the sections above.',
  },
};

/** What most deployments leave alone: TLS, headers and timeouts, the cache, and how PromQL is asked and edited. */
export function AdvancedSection(props: SectionProps) {
  const { options, onOptionsChange } = props;

  return (
    <ConfigSection
      title="Advanced"
      description="Optional: TLS, HTTP headers and timeouts, the cache, and how PromQL is asked and edited."
      isCollapsible
      isInitiallyOpen={false}
    >
      <Stack direction="column" gap={3}>
        <HttpSettings {...props} />
        <CacheSettings {...props} />
        {config.secureSocksDSProxyEnabled && (
          <SecureSocksProxySettings options={options} onOptionsChange={onOptionsChange} />
        )}
        <Text element="p" color="secondary">
          PromQL is asked with GET and a scrape interval of 60s, as the platform needs it. It has no recording rules and
          no search API, so those two switches change nothing here.
        </Text>
        <PromSettings
          // Shown as if set, because the component would otherwise show, and then save, Prometheus' own defaults.
          options={{ ...options, jsonData: { ...SHOWN_DEFAULTS, ...options.jsonData } }}
          onOptionsChange={onOptionsChange}
          hideExemplars
          hidePrometheusTypeVersion
        />
      </Stack>
    </ConfigSection>
  );
}

function HttpSettings(props: SectionProps) {
  const { options, onOptionsChange } = props;
  const { TLS, customHeaders, readOnly, ...auth } = convertLegacyAuthProps({
    config: { ...options, jsonData: { tlsAuth: false, tlsSkipVerify: false, ...options.jsonData } },
    onChange: onOptionsChange,
  });

  return (
    <>
      <Auth
        {...auth}
        TLS={TLS}
        customHeaders={customHeaders}
        readOnly={readOnly}
        visibleMethods={[AuthMethod.NoAuth]}
        defaultOptionsOverrides={AUTHENTICATION}
      />
      <ConfigSubSection title="Limits">
        <TextField
          id="gpucloud-timeout"
          label="HTTP timeout in seconds"
          description="How long to wait for the platform's answer to one request."
          placeholder="30"
          type="number"
          value={String(options.jsonData.timeout ?? '')}
          problem={timeoutProblem(options.jsonData.timeout)}
          disabled={readOnly}
          onChange={(value) => setOption(props, 'timeout', value === '' ? undefined : Number(value))}
        />
        <TextField
          id="gpucloud-max-response"
          label="Largest answer in megabytes"
          description="Larger answers of the platform are refused, so that one query cannot fill Grafana's memory. Counted unpacked."
          placeholder={String(DEFAULT_MAX_RESPONSE_MEGABYTES)}
          type="number"
          value={String(options.jsonData.maxResponseMegabytes ?? '')}
          problem={megabytesProblem(options.jsonData.maxResponseMegabytes)}
          disabled={readOnly}
          onChange={(value) => setOption(props, 'maxResponseMegabytes', value === '' ? undefined : Number(value))}
        />
      </ConfigSubSection>
    </>
  );
}
