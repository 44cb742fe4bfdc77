import React, { type PropsWithChildren } from 'react';
import { config } from '@grafana/runtime';
import { Alert, TextLink } from '@grafana/ui';
import { t } from '../i18n';
import type { GpuCloud } from '../GpuCloud';
import { missingSettings, type Setting } from './missing';

interface Props {
  /** Nothing if the fields say themselves what they lack. */
  setting: Setting | undefined;
  datasource: Pick<GpuCloud, 'uid' | 'options'>;
}

/**
 * Fields that a service fills. One that isn't configured is said once, instead of beside each field. The link opens a page
 * of its own, so that what is being edited isn't lost.
 */
export function Configured({ setting, datasource, children }: PropsWithChildren<Props>) {
  const missing = setting && missingSettings(setting, datasource.options);
  if (!missing) {
    return children;
  }
  return (
    <Alert severity="warning" title={t('{{service}} is not configured', { service: t(setting) })} bottomSpacing={0}>
      <TextLink href={`${config.appSubUrl}/connections/datasources/edit/${datasource.uid}`} external inline>
        {t('Set {{missing}} in the settings of the data source', { missing })}
      </TextLink>
    </Alert>
  );
}
