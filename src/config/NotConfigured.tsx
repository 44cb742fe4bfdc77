import React from 'react';
import { config } from '@grafana/runtime';
import { Alert, TextLink } from '@grafana/ui';
import type { GpuCloudOptions } from '../types';
import { missingSettings, type Service } from './missing';

interface Props {
  service: Service;
  uid: string;
  options: GpuCloudOptions;
}

/**
 * Says once, instead of beside each field, that a service isn't configured; nothing if it is. The link opens a page of its
 * own, so that what is being edited isn't lost.
 */
export function NotConfigured({ service, uid, options }: Props) {
  const missing = missingSettings(service, options);
  return missing ? (
    <Alert severity="warning" title={`${service} is not configured`} bottomSpacing={0}>
      Set {missing} in the{' '}
      <TextLink href={`${config.appSubUrl}/connections/datasources/edit/${uid}`} external inline>
        settings of the data source
      </TextLink>
      .
    </Alert>
  ) : null;
}
