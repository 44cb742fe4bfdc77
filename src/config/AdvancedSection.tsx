import React from 'react';
import { PromSettings } from '@grafana/prometheus';
import { Auth, AuthMethod, ConfigSection, convertLegacyAuthProps } from '@grafana/plugin-ui';
import { config } from '@grafana/runtime';
import { SecureSocksProxySettings, Stack, Text } from '@grafana/ui';
import { DEFAULT_HTTP_METHOD, DEFAULT_SCRAPE_INTERVAL } from '../metrics/defaults';
import { CacheSettings } from './CacheSettings';
import { LimitSettings } from './LimitSettings';
import type { SectionProps } from './section';

const SHOWN_DEFAULTS = { httpMethod: DEFAULT_HTTP_METHOD, timeInterval: DEFAULT_SCRAPE_INTERVAL };

const AUTHENTICATION = {
  [AuthMethod.NoAuth]: {
    label: 'Credentials',
    description: 'Set in the sections above.',
  },
};

/** What most deployments leave alone: TLS, headers, limits, the cache, and how PromQL is asked and edited. */
export function AdvancedSection(props: SectionProps) {
  const { options, onOptionsChange } = props;

  return (
    <ConfigSection
      title="Advanced"
      description="Optional: TLS, HTTP headers, limits, the cache, and how PromQL is asked and edited."
      isCollapsible
      isInitiallyOpen={false}
    >
      <Stack direction="column" gap={3}>
        <HttpSettings {...props} />
        <LimitSettings {...props} />
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

function HttpSettings({ options, onOptionsChange }: SectionProps) {
  const { TLS, customHeaders, readOnly, ...auth } = convertLegacyAuthProps({
    config: { ...options, jsonData: { tlsAuth: false, tlsSkipVerify: false, ...options.jsonData } },
    onChange: onOptionsChange,
  });

  return (
    <Auth
      {...auth}
      TLS={TLS}
      customHeaders={customHeaders}
      readOnly={readOnly}
      visibleMethods={[AuthMethod.NoAuth]}
      defaultOptionsOverrides={AUTHENTICATION}
    />
  );
}
