import React from 'react';
import { ConfigSubSection } from '@grafana/plugin-ui';
import type { SectionProps } from './section';
import { SettingFields, type Setting } from './SettingFields';
import { countError, megabytesError, timeoutError } from './validation';

/** With what the backend does if nothing is set. */
const LIMITS: Setting[] = [
  {
    option: 'timeout',
    label: 'HTTP timeout in seconds',
    description: 'How long to wait for the response to one request.',
    placeholder: '30',
    type: 'number',
    check: timeoutError,
  },
  {
    option: 'maxConcurrentRequests',
    label: 'Concurrent requests',
    description: 'To one service of the platform at a time. Others wait for their turn.',
    placeholder: '32',
    type: 'number',
    check: countError,
  },
  {
    option: 'maxResponseMegabytes',
    label: 'Largest response in megabytes',
    description: 'Larger responses fail the query, so that it cannot fill Grafana’s memory. Counted uncompressed.',
    placeholder: '256',
    type: 'number',
    check: megabytesError,
  },
  {
    option: 'maxSeries',
    label: 'Series per response',
    description: 'PromQL results with more series fail the query.',
    placeholder: '100000',
    type: 'number',
    check: countError,
  },
  {
    option: 'maxPoints',
    label: 'Points per response',
    description: 'PromQL results with more points, over all series, fail the query.',
    placeholder: '5000000',
    type: 'number',
    check: countError,
  },
];

/** Bounds on the requests of one data source, and on the memory that one response takes. */
export const LimitSettings = (props: SectionProps) => (
  <ConfigSubSection title="Limits">
    <SettingFields {...props} fields={LIMITS} />
  </ConfigSubSection>
);
