import React from 'react';
import { QueryHeaderSwitch } from '@grafana/plugin-ui';
import { PromQueryBuilderOptions } from '@grafana/prometheus';
import { Stack } from '@grafana/ui';
import { t } from '../i18n';
import { isAlerting } from '../types/definition';
import type { MetricsQuery } from '../types';

/**
 * The options below Prometheus' editor, without the switch for exemplars, of which the platform has none, without the format
 * in alert rules, which take numbers in every format, and with a switch for the cache. It takes the place of the original where
 * the editor imports that (see `webpack`), because the editor passes no choice on.
 */
function QueryOptions(props: React.ComponentProps<typeof PromQueryBuilderOptions>) {
  const { onChange, onRunQuery } = props;
  const query: MetricsQuery = props.query;
  const hidden = { exemplars: false, ...(isAlerting(props.app) && { format: false }) };
  const setNoCache = (event: React.FormEvent<HTMLInputElement>) => {
    const { noCache: _, ...cached } = query;
    onChange(event.currentTarget.checked ? ({ ...query, noCache: true } as MetricsQuery) : cached);
    onRunQuery();
  };

  return (
    <Stack wrap="wrap" alignItems="center" columnGap={2} rowGap={1}>
      <PromQueryBuilderOptions {...props} uiOptions={{ ...props.uiOptions, ...hidden }} />
      <QueryHeaderSwitch label={t('Bypass the cache')} value={query.noCache ?? false} onChange={setNoCache} />
    </Stack>
  );
}

export { QueryOptions as PromQueryBuilderOptions };
