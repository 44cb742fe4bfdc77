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

/** Whether answers of the metrics are kept, how many, and from when on they are final. */
export function CacheSettings(props: SectionProps) {
  const { options } = props;
  const cache = options.jsonData.cache ?? {};
  // From a variable of a provisioning file, the word arrives as a text.
  const enabled = String(cache.enabled ?? true) !== 'false';
  const set = (changes: CacheOptions) => setOption(props, 'cache', { ...cache, ...changes });

  return (
    <ConfigSubSection title="Cache">
      <Field
        label="Keep answers"
        description="A refresh then asks the platform only for what is new, once for all viewers and alert rules."
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
            description="Memory of Grafana's server that answers take at most. What was not used for longest goes first."
            placeholder={String(DEFAULTS.maxMegabytes)}
            type="number"
            value={String(cache.maxMegabytes ?? '')}
            error={megabytesError(cache.maxMegabytes)}
            disabled={options.readOnly}
            onChange={(value) => set({ maxMegabytes: value === '' ? undefined : Number(value) })}
          />
          <TextField
            id="gpucloud-recent-window"
            label="Recent window"
            description="How late samples arrive at most. Younger ones are asked for again with each refresh."
            placeholder={DEFAULTS.recentWindow}
            value={cache.recentWindow ?? ''}
            error={recentWindowError(cache.recentWindow ?? '')}
            disabled={options.readOnly}
            onChange={(value) => set({ recentWindow: value === '' ? undefined : value })}
          />
          {options.uid && <RefreshCache uid={options.uid} />}
        </>
      )}
    </ConfigSubSection>
  );
}
