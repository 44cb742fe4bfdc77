import React from 'react';
import { ConfigSubSection } from '@grafana/plugin-ui';
import { setOption, type SectionProps } from './section';
import { TextField } from './TextField';
import { countError, megabytesError, timeoutError, type FieldError } from './validation';

interface Limit {
  setting: 'timeout' | 'maxConcurrentRequests' | 'maxResponseMegabytes' | 'maxSeries' | 'maxPoints';
  id: string;
  label: string;
  description: string;
  /** What the backend does if nothing is set. */
  otherwise: number;
  error: (value: number | undefined) => FieldError;
}

const LIMITS: Limit[] = [
  {
    setting: 'timeout',
    id: 'gpucloud-timeout',
    label: 'HTTP timeout in seconds',
    description: 'How long to wait for the response to one request.',
    otherwise: 30,
    error: timeoutError,
  },
  {
    setting: 'maxConcurrentRequests',
    id: 'gpucloud-max-concurrent',
    label: 'Concurrent requests',
    description: 'To one service of the platform at a time. Others wait for their turn.',
    otherwise: 32,
    error: countError,
  },
  {
    setting: 'maxResponseMegabytes',
    id: 'gpucloud-max-response',
    label: 'Largest response in megabytes',
    description: 'Larger responses fail the query, so that it cannot fill Grafana’s memory. Counted uncompressed.',
    otherwise: 256,
    error: megabytesError,
  },
  {
    setting: 'maxSeries',
    id: 'gpucloud-max-series',
    label: 'Series per response',
    description: 'PromQL results with more series fail the query.',
    otherwise: 100_000,
    error: countError,
  },
  {
    setting: 'maxPoints',
    id: 'gpucloud-max-points',
    label: 'Points per response',
    description: 'PromQL results with more points, over all series, fail the query.',
    otherwise: 5_000_000,
    error: countError,
  },
];

/** Bounds on the requests of one data source, and on the memory that one response takes. */
export function LimitSettings(props: SectionProps) {
  return (
    <ConfigSubSection title="Limits">
      {LIMITS.map((limit) => (
        <LimitField key={limit.setting} limit={limit} {...props} />
      ))}
    </ConfigSubSection>
  );
}

function LimitField({ limit, ...props }: SectionProps & { limit: Limit }) {
  const saved = props.options.jsonData[limit.setting];
  // From a variable of a provisioning file, a number arrives as a text, which is empty where the variable is not set.
  const text = String(saved ?? '');

  return (
    <TextField
      id={limit.id}
      label={limit.label}
      description={limit.description}
      placeholder={String(limit.otherwise)}
      type="number"
      value={text}
      error={limit.error(text === '' ? undefined : Number(text))}
      disabled={props.options.readOnly}
      onChange={(value) => setOption(props, limit.setting, value === '' ? undefined : Number(value))}
    />
  );
}
