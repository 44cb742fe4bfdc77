import React from 'react';
import { ConfigSubSection } from '@grafana/plugin-ui';
import { RefreshCache } from './RefreshCache';
import { settingOf, type SectionProps } from './section';
import { isOn, SettingFields, type Setting } from './SettingFields';
import { megabytesError, recentWindowError } from './validation';

const ENABLED: Setting[] = [
  {
    flag: 'cache.enabled',
    label: 'Cache results',
    description: 'A refresh requests only new samples from the platform, once for all viewers and alert rules.',
    isUsuallyOn: true,
  },
];

/** With what the backend does if nothing is set. */
const FIELDS: Setting[] = [
  {
    option: 'cache.maxMegabytes',
    label: 'Cache size in megabytes',
    description: "The most memory of Grafana's server that results take. Those unused for longest are evicted first.",
    placeholder: '64',
    type: 'number',
    check: megabytesError,
  },
  {
    option: 'cache.recentWindow',
    label: 'Recent window',
    description: 'How late samples arrive at most. Newer steps are requested again with each refresh.',
    placeholder: '10m',
    check: recentWindowError,
  },
];

/** Whether results of PromQL queries are cached, how much memory they take, and how late samples arrive. */
export function CacheSettings(props: SectionProps) {
  const { uid } = props.options;
  return (
    <ConfigSubSection title="Cache">
      <SettingFields {...props} fields={ENABLED} />
      {isOn(settingOf(props, 'cache.enabled') ?? true) && (
        <>
          <SettingFields {...props} fields={FIELDS} />
          {uid && <RefreshCache uid={uid} />}
        </>
      )}
    </ConfigSubSection>
  );
}
