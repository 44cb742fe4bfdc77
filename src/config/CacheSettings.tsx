import React from 'react';
import { ConfigSubSection } from '@grafana/plugin-ui';
import { Field, Switch } from '@grafana/ui';
import { RefreshCache } from './RefreshCache';
import type { CacheOptions } from '../types';
import { setOption, type SectionProps } from './section';
import { TextField } from './TextField';
import { megabytesError, recentWindowError } from './validation';

/** What the backend does if nothing is set. */
const DEFAULTS = { maxMegabytes: 64, recentWindow: '10m' };

/** Whether results of PromQL queries are cached, how much memory they take, and how late samples arrive. */
export function CacheSettings(props: SectionProps) {
  const { options } = props;
  const cache = options.jsonData.cache ?? {};
  // From a variable of a provisioning file, the word arrives as a text.
  const enabled = String(cache.enabled ?? true) !== 'false';
  const set = (changes: CacheOptions) => setOption(props, 'cache', { ...cache, ...changes });

  return (
    <ConfigSubSection title="Cache">
      <Field
        label="Cache results"
        description="A refresh requests only new samples from the platform, once for all viewers and alert rules."
        disabled={options.readOnly}
        noMargin={false}
      >
        <Switch
          id="gpucloud-cache"
          value={enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked ? undefined : false })}
        />
      </Field>
      {enabled && (
        <>
          <TextField
            id="gpucloud-cache-size"
            label="Cache size in megabytes"
            description="The most memory of Grafana's server that results take. Those unused for longest are evicted first."
            placeholder={String(DEFAULTS.maxMegabytes)}
            type="number"
            value={String(cache.maxMegabytes ?? '')}
            check={megabytesError}
            disabled={options.readOnly}
            onChange={(value) => set({ maxMegabytes: value === '' ? undefined : Number(value) })}
          />
          <TextField
            id="gpucloud-recent-window"
            label="Recent window"
            description="How late samples arrive at most. Newer steps are requested again with each refresh."
            placeholder={DEFAULTS.recentWindow}
            value={cache.recentWindow ?? ''}
            check={recentWindowError}
            disabled={options.readOnly}
            onChange={(value) => set({ recentWindow: value === '' ? undefined : value })}
          />
          {options.uid && <RefreshCache uid={options.uid} />}
        </>
      )}
    </ConfigSubSection>
  );
}
