import React from 'react';
import { Auth, AuthMethod, convertLegacyAuthProps } from '@grafana/plugin-ui';
import { config } from '@grafana/runtime';
import { SecureSocksProxySettings } from '@grafana/ui';
import { translated } from '../i18n';
import { DEFAULT_HTTP_METHOD, DEFAULT_SCRAPE_INTERVAL } from '../metrics/defaults';
import { RefreshCache } from './RefreshCache';
import type { SectionProps } from './section';
import type { Setting } from './SettingFields';
import type { SettingsSection } from './SettingsSection';
import { countError, durationError, megabytesError, timeoutError } from './validation';

const NO_AUTHENTICATION = { label: 'Credentials', description: 'Set in the sections above.' };

function HttpSettings({ options, onOptionsChange }: SectionProps) {
  return (
    <Auth
      {...convertLegacyAuthProps({
        config: { ...options, jsonData: { tlsAuth: false, tlsSkipVerify: false, ...options.jsonData } },
        onChange: onOptionsChange,
      })}
      visibleMethods={[AuthMethod.NoAuth]}
      defaultOptionsOverrides={{ [AuthMethod.NoAuth]: translated(NO_AUTHENTICATION) }}
    />
  );
}

const SocksProxy = ({ options, onOptionsChange }: SectionProps) =>
  config.secureSocksDSProxyEnabled && <SecureSocksProxySettings options={options} onOptionsChange={onOptionsChange} />;

export const LIMITS: Setting[] = [
  {
    option: 'timeout',
    label: 'HTTP timeout in seconds',
    description: 'How long to wait for the response to one request.',
    example: '30',
    type: 'number',
    check: timeoutError,
  },
  {
    option: 'maxConcurrentRequests',
    label: 'Concurrent requests',
    description: 'To one service of the platform at a time. Others wait for their turn.',
    example: '32',
    type: 'number',
    check: countError,
  },
  {
    option: 'maxResponseMegabytes',
    label: 'Largest response in megabytes',
    description: 'Larger responses fail the query, so that it cannot fill Grafana’s memory. Counted uncompressed.',
    example: '256',
    type: 'number',
    check: megabytesError,
  },
  {
    option: 'maxSeries',
    label: 'Series per response',
    description: 'PromQL results with more series fail the query.',
    example: '100000',
    type: 'number',
    check: countError,
  },
  {
    option: 'maxPoints',
    label: 'Points per response',
    description: 'PromQL results with more points, over all series, fail the query.',
    example: '5000000',
    type: 'number',
    check: countError,
  },
];

export const CACHE: Setting[] = [
  {
    flag: 'cache.enabled',
    label: 'Cache results',
    description: 'A refresh requests only new samples from the platform, once for all viewers and alert rules.',
    isUsuallyOn: true,
  },
  {
    option: 'cache.maxMegabytes',
    label: 'Cache size in megabytes',
    description: "The most memory of Grafana's server that results take. Those unused for longest are evicted first.",
    example: '64',
    type: 'number',
    check: megabytesError,
  },
  {
    option: 'cache.recentWindow',
    label: 'Recent window',
    description: 'How late samples arrive at most. Newer steps are requested again with each refresh.',
    example: '10m',
  },
  { label: 'Refresh the cache', Field: RefreshCache },
];

/**
 * How PromQL is sent and edited: those settings of Grafana's Prometheus data source that have an effect here, under the
 * same names. Left out are the ones for recording rules, exemplars, query statistics and the search API, which the platform
 * doesn't have, and the browser's caches, because the backend has one.
 */
const PROMQL: Setting[] = [
  {
    option: 'timeInterval',
    label: 'Scrape interval',
    description: 'How often most metrics are collected. $__rate_interval is four times as long.',
    example: DEFAULT_SCRAPE_INTERVAL,
    check: durationError,
  },
  {
    option: 'queryTimeout',
    label: 'Query timeout',
    description: 'When the platform should give up on a query. Without it, its own limit applies.',
    example: '30s',
    check: durationError,
  },
  {
    option: 'customQueryParameters',
    label: 'Custom query parameters',
    description: 'Sent with every query, for example to a gateway in between.',
    example: 'name=value&other=value',
  },
  {
    choice: 'httpMethod',
    label: 'HTTP method',
    description: 'The platform documents GET only.',
    options: ['GET', 'POST'].map((value) => ({ value, label: value })),
    usual: DEFAULT_HTTP_METHOD,
  },
  {
    choice: 'defaultEditor',
    label: 'Default editor',
    description: 'Of new queries.',
    options: [
      { value: 'builder', label: 'Builder' },
      { value: 'code', label: 'Code' },
    ],
    usual: 'builder',
  },
  {
    flag: 'disableMetricsLookup',
    label: 'Disable metrics lookup',
    description: "The editors then don't offer names of metrics and labels, which helps where there are very many.",
  },
  {
    option: 'seriesLimit',
    label: 'Names to offer',
    description: 'The most names of metrics and labels, and values of labels, that the editors request.',
    example: '40000',
    type: 'number',
    check: countError,
  },
];

/** What most deployments leave alone. The backend has the placeholders where nothing is set. */
export const ADVANCED: SettingsSection = {
  title: 'Advanced',
  description: 'Optional: TLS, HTTP headers, limits, the cache, and how PromQL is sent and edited.',
  isFolded: () => true,
  fields: [
    { label: 'HTTP', Field: HttpSettings },
    { label: 'Secure SOCKS proxy', Field: SocksProxy },
  ],
  groups: [
    { title: 'Limits', fields: LIMITS },
    { title: 'Cache', fields: CACHE },
    { title: 'PromQL', fields: PROMQL },
  ],
};
