import React from 'react';
import { ConfigSubSection } from '@grafana/plugin-ui';
import { OptionField } from './OptionField';
import type { SectionProps } from './section';
import { countError, megabytesError, timeoutError } from './validation';

/** With what the backend does if nothing is set. */
const LIMITS = [
  {
    option: 'timeout',
    id: 'gpucloud-timeout',
    label: 'HTTP timeout in seconds',
    description: 'How long to wait for the response to one request.',
    otherwise: 30,
    check: timeoutError,
  },
  {
    option: 'maxConcurrentRequests',
    id: 'gpucloud-max-concurrent',
    label: 'Concurrent requests',
    description: 'To one service of the platform at a time. Others wait for their turn.',
    otherwise: 32,
    check: countError,
  },
  {
    option: 'maxResponseMegabytes',
    id: 'gpucloud-max-response',
    label: 'Largest response in megabytes',
    description: 'Larger responses fail the query, so that it cannot fill Grafana’s memory. Counted uncompressed.',
    otherwise: 256,
    check: megabytesError,
  },
  {
    option: 'maxSeries',
    id: 'gpucloud-max-series',
    label: 'Series per response',
    description: 'PromQL results with more series fail the query.',
    otherwise: 100_000,
    check: countError,
  },
  {
    option: 'maxPoints',
    id: 'gpucloud-max-points',
    label: 'Points per response',
    description: 'PromQL results with more points, over all series, fail the query.',
    otherwise: 5_000_000,
    check: countError,
  },
] as const;

/** Bounds on the requests of one data source, and on the memory that one response takes. */
export function LimitSettings(props: SectionProps) {
  return (
    <ConfigSubSection title="Limits">
      {LIMITS.map(({ otherwise, ...limit }) => (
        <OptionField key={limit.option} {...props} {...limit} placeholder={String(otherwise)} type="number" />
      ))}
    </ConfigSubSection>
  );
}
