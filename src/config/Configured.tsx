import React, { type PropsWithChildren } from 'react';
import { config } from '@grafana/runtime';
import { Alert, TextLink } from '@grafana/ui';
import type { GpuCloud } from '../GpuCloud';
import { missingSettings, type Service } from './missing';

interface Props {
  service: Service;
  datasource: Pick<GpuCloud, 'uid' | 'options'>;
}

/**
 * Fields that a service fills. One that isn't configured is said once, instead of beside each field. The link opens a page
 * of its own, so that what is being edited isn't lost.
 */
export function Configured({ service, datasource, children }: PropsWithChildren<Props>) {
  const missing = missingSettings(service, datasource.options);
  if (!missing) {
    return children;
  }
  return (
    <Alert severity="warning" title={`${service} is not configured`} bottomSpacing={0}>
      Set {missing} in the{' '}
      <TextLink href={`${config.appSubUrl}/connections/datasources/edit/${datasource.uid}`} external inline>
        settings of the data source
      </TextLink>
      .
    </Alert>
  );
}
