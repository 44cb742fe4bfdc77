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
    description: 'How long to wait for the platform’s answer to one request.',
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
    label: 'Largest answer in megabytes',
    description: 'Larger answers are refused, so that one query cannot fill Grafana’s memory. Counted unpacked.',
    otherwise: 256,
    error: megabytesError,
  },
  {
    setting: 'maxSeries',
    id: 'gpucloud-max-series',
    label: 'Series of an answer',
    description: 'PromQL answers with more series are refused.',
    otherwise: 100_000,
    error: countError,
  },
  {
    setting: 'maxPoints',
    id: 'gpucloud-max-points',
    label: 'Points of an answer',
    description: 'PromQL answers with more points, over all series, are refused.',
    otherwise: 5_000_000,
    error: countError,
  },
];

/** How much one data source may ask for, and how much of Grafana’s memory one answer may take. */
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
