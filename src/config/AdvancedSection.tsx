import React from 'react';
import { Auth, AuthMethod, ConfigSection, convertLegacyAuthProps } from '@grafana/plugin-ui';
import { config } from '@grafana/runtime';
import { SecureSocksProxySettings, Stack } from '@grafana/ui';
import { CacheSettings } from './CacheSettings';
import { LimitSettings } from './LimitSettings';
import { PromqlSettings } from './PromqlSettings';
import type { SectionProps } from './section';

const AUTHENTICATION = {
  [AuthMethod.NoAuth]: {
    label: 'Credentials',
    description: 'Set in the sections above.',
  },
};

/** What most deployments leave alone: TLS, headers, limits, the cache, and how PromQL is sent and edited. */
export function AdvancedSection(props: SectionProps) {
  const { options, onOptionsChange } = props;

  return (
    <ConfigSection
      title="Advanced"
      description="Optional: TLS, HTTP headers, limits, the cache, and how PromQL is sent and edited."
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
        <PromqlSettings {...props} />
      </Stack>
    </ConfigSection>
  );
}

function HttpSettings({ options, onOptionsChange }: SectionProps) {
  return (
    <Auth
      {...convertLegacyAuthProps({
        config: { ...options, jsonData: { tlsAuth: false, tlsSkipVerify: false, ...options.jsonData } },
        onChange: onOptionsChange,
      })}
      visibleMethods={[AuthMethod.NoAuth]}
      defaultOptionsOverrides={AUTHENTICATION}
    />
  );
}
